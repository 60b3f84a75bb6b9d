#!/usr/bin/env bash
# Installs what is missing: `tools/setup.sh build` for building and running simtrain, `tools/setup.sh
# test` for the gate as well. Touches nothing when everything is there.
set -euo pipefail

packages=(g++ cmake ninja-build make ccache libboost-graph1.81-dev libboost-program-options1.81-dev
          libyaml-cpp-dev libfmt-dev nlohmann-json3-dev libtinyxml2-dev)
case ${1:-} in
  build) ;;
  test) packages+=(doctest-dev clang clang-format clang-tidy libclang-rt-14-dev git python3
                   python3-yaml libbenchmark-dev) ;;
  *) echo "usage: tools/setup.sh build|test" >&2; exit 2 ;;
esac

if ! command -v apt-get >/dev/null; then
  echo "tools/setup.sh: no apt-get here; going on with what is installed. Wanted (Debian 12's names):" \
       "${packages[*]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "tools/setup.sh: cannot install without root or sudo; as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "tools/setup.sh: installing ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
     apt-get -qq -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120)
"${apt[@]}" update || echo "tools/setup.sh: no fresh package lists; trying with the old ones" >&2
if ! "${apt[@]}" install --no-install-recommends "${missing[@]}"; then
  echo "tools/setup.sh: apt-get could not install: ${missing[*]}" >&2
  exit 1
fi
