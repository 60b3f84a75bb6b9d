// The page of `simtrain serve`: the form is the address, the answer is that of /run.
'use strict';

const form = document.getElementById('form');
const keys = ['cluster.name', 'model', 'software', 'precision', 'gpus', 'tp', 'pp', 'vp', 'cp', 'ep', 'mbs', 'gbs'];
const at = id => document.getElementById(id);
let rows = {};
let asked = 0;

function fill(name, values, empty) {
  const select = form.elements[name];
  select.replaceChildren(...(empty === undefined ? [] : [new Option(empty, '')]), ...values.map(v => new Option(v, v)));
  select.disabled = values.length === 0;
}

function fillRows() {
  fill('row', rows[form.elements.scenario.value], rows[form.elements.scenario.value].length ? undefined : 'it has none');
}

/** What the form asks: the fields of /run, which are those of the page's own address too. */
function question() {
  const fields = new URLSearchParams();
  for (const name of ['scenario', 'row']) {
    const value = unknown[name] ?? form.elements[name].value;
    if (value) fields.set(name, value);
  }
  for (const key of keys) {
    if (form.elements[key].value) fields.append('set', key + '=' + form.elements[key].value);
  }
  for (const other of others) fields.append('set', other);
  return fields;
}

/** Keys of a link for which the form has no field. */
let others = [];

/** A scenario and row of a link that the form does not offer: asked for as they are, and so refused. */
let unknown = {};

function restore(fields) {
  if (Object.hasOwn(rows, fields.get('scenario'))) form.elements.scenario.value = fields.get('scenario');
  fillRows();
  const options = [...form.elements.row.options].map(option => option.value);
  if (options.includes(fields.get('row'))) form.elements.row.value = fields.get('row');
  unknown = {};
  for (const name of ['scenario', 'row']) {
    if (fields.get(name) && form.elements[name].value !== fields.get(name)) unknown[name] = fields.get(name);
  }
  others = [];
  for (const text of fields.getAll('set')) {
    const key = text.slice(0, text.indexOf('='));
    const value = text.slice(key.length + 1);
    if (keys.includes(key)) form.elements[key].value = value;
    if (!keys.includes(key) || form.elements[key].value !== value) others.push(text);
  }
}

const fixed = (value, digits) => value.toLocaleString('en', {minimumFractionDigits: digits, maximumFractionDigits: digits});
const percent = share => fixed(100 * share, 1) + ' %';
const gigabytes = bytes => fixed(bytes / 1e9, 1) + ' GB';

function message(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let power = 0;
  while (bytes >= 1024 && power < 4) { bytes /= 1024; ++power; }
  return fixed(bytes, power ? 1 : 0) + ' ' + units[power];
}

function element(tag, text, kind) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function tile(value, text, kind) {
  const made = element('div', '', 'tile');
  made.append(element('b', value, kind), element('span', text));
  return made;
}

/** A row for the body of a table, its cells with the headings of their columns. */
function row(body, cells) {
  const headings = body.closest('table').rows[0].cells;
  const made = document.createElement('tr');
  cells.forEach((cell, i) => { cell.dataset.label = headings[i].textContent; });
  made.append(...cells);
  return made;
}

/** What the scenario has, where the form leaves a field empty. */
function showPlan(result) {
  const {parallelism, training} = result.recipe;
  const values = {
    gpus: result.gpus, tp: parallelism.tensor_model_parallel_size, pp: parallelism.pipeline_model_parallel_size,
    vp: parallelism.virtual_pipeline_model_parallel_size, cp: parallelism.context_parallel_size,
    ep: parallelism.expert_model_parallel_size, mbs: training.micro_batch_size, gbs: training.global_batch_size};
  for (const [name, value] of Object.entries(values)) form.elements[name].placeholder = value;
}

/** A word of a command, as a shell takes it. */
const quoted = text => "'" + text.replaceAll("'", "'\\''") + "'";

function show(result, fields) {
  const time = result.step_time_s, memory = result.memory;
  at('title').textContent = result.scenario;
  at('job').textContent = `${result.gpus} GPUs of ${result.cluster}, ${result.software}, DP ${result.data_parallel_size}, ` +
    `${result.micro_batches} micro-batches, ${result.tokens_per_step.toLocaleString('en')} tokens a step`;
  at('tiles').replaceChildren(
    tile(fixed(time.expected, 3) + ' s', `step time, 90 % interval ${fixed(time.low, 3)} to ${fixed(time.high, 3)} s`),
    tile(percent(result.mfu), `MFU (${result.mfu_convention})`),
    tile(fixed(result.tflops_per_gpu, 0), 'TFLOP/s per GPU of ' + fixed(result.peak_tflops_per_gpu, 0)),
    tile(Math.round(result.tokens_per_s).toLocaleString('en'), 'tokens per second'),
    tile(gigabytes(memory.capacity_bytes - memory.margin_bytes),
         `of ${gigabytes(memory.capacity_bytes)} a GPU: ` + (!memory.fits ? 'does not fit' : memory.tight ? 'tight' : 'fits'),
         memory.fits && !memory.tight ? '' : 'bad'),
    tile(fixed(result.days_per_1t_tokens, 1), 'days per 1T tokens'));
  const shares = Object.entries(result.breakdown_s).filter(share => share[1] > 0).sort((a, b) => b[1] - a[1]);
  at('shares').replaceChildren(...shares.map(([name, seconds]) => {
    const bar = element('span', '', 'bar');
    bar.style.width = 100 * seconds / shares[0][1] + '%';
    const cell = document.createElement('td');
    cell.append(bar);
    return row(at('shares'), [element('td', name.replaceAll('_', ' ')), element('td', fixed(seconds, 3)),
                element('td', percent(seconds / time.expected)), cell]);
  }));
  at('calls').replaceChildren(...result.communication.map(call => row(at('calls'), [
    element('td', call.group), element('td', call.collective.replaceAll('_', ' '), 'text'), element('td', `${call.algorithm} ${call.protocol}`, 'text'),
    element('td', message(call.bytes)), element('td', call.count.toLocaleString('en')), element('td', fixed(call.total_s, 3)),
    element('td', fixed(call.exposed_s, 3))])));
  showPlan(result);
  at('json').href = '/run?' + fields;
  at('link').href = at('link').textContent = location.origin + '/?' + fields;
  at('command').textContent = `simtrain run scenarios/${fields.get('scenario')}.yaml` +
    (fields.get('row') ? ` --row ${fields.get('row')}` : '') + fields.getAll('set').map(set => ` --set ${quoted(set)}`).join('') +
    ' --format json';
}

async function ask() {
  const number = ++asked, fields = question();
  history.replaceState(null, '', '/?' + fields);
  at('answer').setAttribute('aria-busy', 'true');
  try {
    const answer = await fetch('/run?' + fields);
    const content = await answer.json();
    if (number !== asked) return;
    at('error').textContent = answer.ok ? '' : content.error;
    at('answer').hidden = !answer.ok;
    if (answer.ok) show(content, fields);
  } catch (problem) {
    if (number === asked) at('error').textContent = 'The server does not answer; is simtrain serve still running?';
  }
  if (number === asked) at('answer').setAttribute('aria-busy', at('error').textContent ? 'true' : 'false');
}

async function start() {
  const choices = await (await fetch('/choices')).json();
  rows = Object.fromEntries(choices.scenarios.map(scenario => [scenario.name, scenario.rows]));
  fill('scenario', Object.keys(rows));
  fill('cluster.name', choices.clusters, 'as in the scenario');
  fill('model', choices.models, 'as in the scenario');
  fill('software', choices.software, 'as in the scenario');
  fill('precision', choices.precisions, 'as in the scenario');
  form.elements.scenario.value = 'llama31_8b_h100' in rows ? 'llama31_8b_h100' : Object.keys(rows)[0];
  restore(new URLSearchParams(location.search));
  form.elements.scenario.addEventListener('change', () => { unknown = {}; fillRows(); });
  form.elements.row.addEventListener('change', () => { delete unknown.row; });
  let timer = 0;
  form.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(ask, 60); });
  form.addEventListener('submit', event => event.preventDefault());
  ask();
}

start();
