#!/usr/bin/env bash
# Installs what is missing: `tools/setup.sh build` for building and running simtrain, `python` for its Python package
# as well, `package` for its Debian package as well, `pictures` for tools/pictures as well, `test` for the gate as
# well, `docs` for the site of the documents alone. Touches nothing when everything is there.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(g++ cmake ninja-build make ccache libboost-graph1.81-dev libboost-program-options1.81-dev
          libyaml-cpp-dev libfmt-dev nlohmann-json3-dev libtinyxml2-dev
          libcminpack-dev libeigen3-dev libtbb-dev libsimdjson-dev zlib1g-dev libhdf5-dev libprotozero-dev
          libsqlite3-dev libjemalloc-dev libkainjow-mustache-dev libtomlplusplus-dev pkg-config)
docs=(python3-sphinx python3-myst-parser furo)
case ${1:-} in
  build) ;;
  python) packages+=(python3-dev python3-pip python3-venv python3-setuptools python3-wheel pybind11-dev) ;;
  package) packages+=(dpkg-dev file) ;;
  docs) packages=("${docs[@]}") ;;
  pictures) packages+=(chromium pngquant optipng) ;;
  test) packages+=(dpkg-dev file groff-base zsh doctest-dev clang lld clang-format clang-tidy libclang-rt-14-dev git python3
                   python3-yaml libbenchmark-dev chromium
                   libopenmpi-dev openmpi-bin python3-h5py python3-pandas
                   python3-dev python3-pip python3-venv python3-setuptools python3-wheel pybind11-dev
                   python3-jsonschema mypy lintian "${docs[@]}") ;;
  *) echo "usage: tools/setup.sh build|python|package|docs|pictures|test" >&2; exit 2 ;;
esac

if ! command -v apt-get >/dev/null; then
  echo "tools/setup.sh: no apt-get here; going on with what is installed. Wanted (Debian 12's names):" \
       "${packages[*]}" >&2
  exit 0
fi

installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

install() {  # install PACKAGE...
  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "tools/setup.sh: cannot install without root or sudo; as root: apt-get install $*" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "tools/setup.sh: installing $*"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
             apt-get -qq -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120)
  "${apt[@]}" update || echo "tools/setup.sh: no fresh package lists; trying with the old ones" >&2
  if ! "${apt[@]}" install --no-install-recommends "$@"; then
    echo "tools/setup.sh: apt-get could not install: $*" >&2
    return 1
  fi
}

# The headers of SimGrid, which tests compare with, into build/simgrid: its -dev package insists
# on another Boost than ours and cannot be installed. Its library is installed.
fetch_simgrid() {
  local folder=build/simgrid package library
  mkdir -p "$folder"
  [[ -e $folder/usr/include/simgrid/s4u.hpp ]] ||
    (cd "$folder" && apt-get -qq download libsimgrid-dev && dpkg -x libsimgrid-dev_*.deb .) || return 1
  package=$(echo "$folder"/libsimgrid-dev_*.deb)
  library=$(dpkg-deb -f "$package" Depends | grep -o 'libsimgrid[0-9][0-9.]*' | head -n 1)
  installed "$library" || install "$library"
}

missing=()
for package in "${packages[@]}"; do
  installed "$package" || missing+=("$package")
done
((${#missing[@]} == 0)) || install "${missing[@]}"

if [[ $1 == test ]]; then
  fetch_simgrid || echo "tools/setup.sh: no SimGrid to be had; its tests will be skipped" >&2
  installed libns3-dev || install libns3-dev ||
    echo "tools/setup.sh: no ns-3 to be had; its test will be skipped" >&2
fi
