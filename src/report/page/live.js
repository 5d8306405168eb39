/* SPDX-License-Identifier: MIT
   The fields of a live page.  What is typed, or of a model that sees the picture (drop.js), goes to the program, in a worker (worker.js); its
   answer is a text of this page, after those that the file holds. */
const EXAMPLES = {
  English: [
    'the cat saw the dog and the cat ran',
    'The old man saw the dog and the cat sleep under the tall tree in the park.',
    'The keys to the door are on the table, and the door is open.',
    'Anna gave Tom the book because he had asked her for it.',
    'one two three four one two three four one two',
  ],
  中文: [
    '我喜欢吃苹果，她也喜欢吃苹果。',
    '猫坐在垫子上，狗看见猫坐在垫子上。',
    '昨天下雨了，所以我们没有去公园。',
  ],
};

const live = {
  about: null, /* what the file says of model and options */
  worker: null,
  first: 0, /* the number of the text that is typed; the one beside it follows */
  busy: false,
  again: false, /* something was typed meanwhile */
  next: false, /* Generate was clicked meanwhile */
  calls: new Map(),
  source: '', /* what a worker that was stopped is started from again, if it may be */
  module: '',
  kept: new Map(), /* path -> Blob of the model's file */
};

const lettersOf = async (id) => {
  const e = await block(id);
  if (!e) throw new Error('this file is cut short');
  const letters = e.textContent;
  e.remove();
  return letters;
};

// ---- the worker

function ask(message) {
  const [kind] = Object.keys(message);
  return new Promise((resolve) => {
    live.calls.set(kind, resolve);
    live.worker.postMessage(message);
  });
}
function answered({ data }) {
  if (data.kept) {
    live.kept.set(data.kept, data.blob);
    return;
  }
  if (data.step !== undefined) {
    tell(`Generating: ${data.step} tokens of at most ${mostTokens()}.`);
    return;
  }
  const kind = ['ready', 'ask', 'run'].find((key) => data[key] !== undefined);
  if (!kind) {
    giveUp(data.why);
    return;
  }
  const resolve = live.calls.get(kind === 'ready' ? 'options' : kind);
  live.calls.delete(kind);
  resolve?.(data);
}

/* Why nothing can be typed here: what the file holds is still shown. */
function giveUp(why) {
  live.worker?.terminate();
  live.worker = null;
  for (const e of document.querySelectorAll('.live label, .live button')) e.hidden = true;
  tell(`Nothing can be typed here: ${why}. Shown is the text that the page was made with.`, true);
}

function startWorker() {
  const source = atob(live.source);
  const url = URL.createObjectURL(
    new Blob([Uint8Array.from(source, (c) => c.charCodeAt(0))], { type: 'text/javascript' }),
  );
  live.worker = new Worker(url);
  live.worker.onmessage = answered;
  live.worker.onerror = (event) => giveUp(event.message ?? 'its worker does not start');
  URL.revokeObjectURL(url);
}

/* The module, then the model's files, a piece at a time: none is there twice for long, but where
   a worker may be stopped. */
async function sendModel() {
  live.module = await lettersOf('module');
  live.worker.postMessage({ module: live.module });
  const about = JSON.parse(new TextDecoder().decode(await unpack(await lettersOf('live'))));
  for (const [i, { path, size, pieces, packed }] of about.files.entries()) {
    live.worker.postMessage({ open: path, size, keep: about.generates });
    for (let k = 0; k < pieces; k++)
      live.worker.postMessage({ piece: await lettersOf(`f${i}-${k}`), packed });
  }
  return about;
}

/* The same again, from what is kept. */
function startAgain() {
  startWorker();
  live.worker.postMessage({ module: live.module });
  for (const { path, size } of live.about.files) {
    live.worker.postMessage({ open: path, size });
    live.worker.postMessage({ piece: live.kept.get(path) });
  }
  return ask({ options: live.about.options, texts: live.about.texts });
}

// ---- what is typed

const fieldOf = (name) => find(`.live textarea[name=${name}]`);
const typed = (name) => fieldOf(name)?.value ?? '';
const textsTyped = () =>
  live.about.picture ? [] : [typed('text'), ...(typed('pair') === '' ? [] : [typed('pair')])];
const isNothing = () => (live.about.picture ? !pictures[0] : typed('text') === '');
const whatToGive = () =>
  live.about.picture ? 'Drop a picture on this page, or choose one' : 'Type or paste a text';

function tell(what, why = false) {
  const e = find('.live .state');
  e.textContent = what;
  e.classList.toggle('why', why);
}

/* The program's answer as a text of this page, in place of the one before; why not: a sentence. */
async function compute(words, number, generate = 0, picture = null) {
  if (picture) sendPicture(picture);
  const { blocks, why, took, stopped } = await ask({ ask: number, texts: words, generate });
  if (stopped) return { stopped };
  if (why) return { why: why.replace(/ \(--[^)]*\)/g, '') }; /* the page has no options */
  const made = textOf(number, blocks.t);
  made.made = blocks;
  texts[number] = made;
  return { took };
}

/* The picker names what was typed. */
function nameTyped() {
  const list = find('.bar select');
  for (const number of [live.first, live.first + 1]) {
    const one = texts[number],
      at = list.children[number];
    if (!one) continue;
    const which = number > live.first ? 'beside' : one.picture ? 'given' : 'typed';
    const name = `${which}: ${one.text || one.input}`.slice(0, 60);
    if (at) at.textContent = name;
    else if (list.children.length === number) list.append(element('option', { value: number, text: name }));
  }
  find('.texts').hidden = list.children.length < 2;
}

async function showTyped(generate = 0) {
  const from = performance.now(),
    shown = live.about.picture ? [...pictures] : [],        // as they are now
    beside = generate > 0 ? '' : shown[1] ? ' ' : typed('beside');
  const first = await compute(textsTyped(), live.first, generate, shown[0]);
  if (first.why || first.stopped) return first;
  const second = beside === '' ? null : await compute(shown[1] ? [] : [beside], live.first + 1, 0, shown[1]);
  if (second?.why) return second;
  if (!second) {
    texts.length = live.first + 1;
    find('.bar select').children[live.first + 1]?.remove();
  }
  if (second || state.y > live.first) {
    state.y = second ? live.first + 1 : -1;
    state.d = second ? state.d || 'side' : '';
  }
  nameTyped();
  await openText(live.first, true);
  timing.computed = first.took + (second?.took ?? 0);
  timing.answered = performance.now() - from;
  return first;
}

/* One at a time; what is typed meanwhile follows, as it is then. */
async function follow() {
  live.again = true;
  if (live.busy || !live.worker) return;
  live.busy = true;
  while (live.again) {
    live.again = false;
    if (isNothing()) {
      tell(`${whatToGive()}.`);
      continue;
    }
    const { why, took } = await showTyped();
    if (why) tell(`The program says: ${why}`, true);
    else tell(`Computed here, in ${took.toFixed(took < 10 ? 1 : 0)} ms, from the model in this file.`);
  }
  live.busy = false;
  if (live.next) generateOrStop();
}

// ---- what the model adds

const MOST_TOKENS = 50;
const mostTokens = () =>
  Math.min(Math.max(Math.round(Number(find('.live input[name=generate]').value)) || 1, 1), MOST_TOKENS);

/* The decoder's text is then the model's, not what is typed. */
async function generate() {
  const n = mostTokens(),
    button = find('.live .generate'),
    pair = typed('pair');
  find('.live input[name=generate]').value = n;
  if (live.about.decoder) fieldOf('pair').value = '';
  live.busy = true;
  live.again = false;
  button.textContent = 'Stop';
  tell('Generating.');
  const { why, took, stopped } = await showTyped(n);
  button.textContent = 'Generate';
  button.disabled = false;
  live.busy = false;
  if (live.about.decoder && (stopped || why) && typed('pair') === '') fieldOf('pair').value = pair;
  if (stopped) tell('Stopped: shown is the text before.');
  else if (why) tell(`The program says: ${why}`, true);
  else {
    const added = texts[live.first].generated?.trim();
    if (added === undefined) tell('The text is as long as the model takes: nothing can be added.');
    else tell(`The model adds “${added}”, in ${(took / 1000).toFixed(1)} s.`);
  }
  if (live.again) follow();
}

/* A worker that computes hears nothing: another one takes its place. */
async function stopGenerating() {
  const resolve = live.calls.get('ask'),
    saving = live.calls.get('run');
  find('.live .generate').disabled = true;
  live.calls.clear();
  live.worker.terminate();
  saving?.({ why: 'stopped before the statistics were computed' });
  tell('The model is being unpacked again.');
  try {
    await startAgain();
  } catch (error) {
    giveUp(error.message);
  }
  resolve?.({ stopped: true });
}

/* While a text is computed: after it. */
const generateOrStop = () => {
  live.next = false;
  if (find('.live .generate').textContent === 'Stop') stopGenerating();
  else if (!live.worker || typed('text') === '') return;
  else if (live.busy) live.next = true;
  else generate();
};

/* What `mha-viz stats --json` prints of the text that is typed. */
async function saveStats() {
  const words = ['stats', '--json', '-m', live.about.model];
  if (live.about.picture) {
    const shown = pictures[0] ?? (await firstPicture());
    sendPicture(shown);
    words.push('--image', shown.name);
  } else words.push('--', ...textsTyped());
  const { out, why } = await ask({ run: 0, words });
  if (why) tell(`The program says: ${why}`, true);
  else download('stats.json', new Blob([out], { type: 'application/json' }));
}

/* What stands in the file of the model. */
function weightsHeld() {
  const { files, type, rounded } = live.about,
    size = files.reduce((sum, file) => sum + file.size, 0) / 2 ** 20;
  return `Its weights are ${rounded ? 'rounded to ' : ''}${type}, ${size.toFixed(size < 10 ? 1 : 0)} MiB with its files.`;
}

// ---- the fields

function fieldNamed(name, label, value) {
  return element(
    'label',
    { class: `of-${name}` },
    label,
    element('textarea', {
      name,
      rows: 1,
      value,
      spellcheck: 'false',
      disabled: true,
      on: { input: follow },
    }),
  );
}
const generation = () => [
  element(
    'label',
    { class: 'of-generate' },
    'Tokens to add',
    element('input', { name: 'generate', type: 'number', min: 1, max: MOST_TOKENS, value: 20 }),
  ),
  element('button', { class: 'generate', text: 'Generate', on: { click: generateOrStop } }),
];
function examples() {
  const list = element(
    'select',
    {
      disabled: true,
      on: {
        change: () => {
          fieldOf('text').value = list.value;
          list.value = '';
          follow();
        },
      },
    },
    element('option', { value: '', text: 'choose' }),
    ...Object.entries(EXAMPLES).map(([language, sentences]) =>
      element(
        'optgroup',
        { label: language },
        ...sentences.map((text) => element('option', { value: text, text })),
      ),
    ),
  );
  return element('label', { class: 'examples' }, 'Examples', list);
}
function fields() {
  find('.bar').append(
    element(
      'div',
      { class: 'live', role: 'group', 'aria-label': 'A text of your own' },
      fieldNamed('text', 'Text', texts[0]?.text ?? ''),
      fieldNamed('beside', 'Another text beside it', ''),
      examples(),
      element('button', { class: 'stats', text: 'Save stats --json', disabled: true, on: { click: saveStats } }),
      element('p', { class: 'state', role: 'status' }),
    ),
  );
}

async function startLive() {
  if (!find('.bar')) return;
  fields();
  tell('The model is being unpacked.');
  if (typeof WebAssembly === 'undefined' || typeof Worker === 'undefined') {
    giveUp('this browser has no WebAssembly');
    return;
  }
  try {
    live.source = await lettersOf('worker');
    startWorker();
    live.about = await sendModel();
    if (live.about.picture) sendPicture(await firstPicture());
    await ask({ options: live.about.options, texts: live.about.texts });
  } catch (error) {
    giveUp(error.message);
    return;
  }
  while (texts[live.first] || document.getElementById(`t${live.first}`)) live.first++;
  if (live.about.fields === 2) {
    const label = live.about.decoder ? 'Text of the decoder' : 'Second text of the pair';
    find('.live label.of-text').after(fieldNamed('pair', label, live.about.texts[1] ?? ''));
    find('.live label.of-beside').remove();
  }
  if (live.about.generates) find('.live label.examples').before(...generation());
  if (live.about.picture) {
    for (const e of document.querySelectorAll('.live label')) e.remove();
    find('.live').prepend(chooser(0, 'Picture'), chooser(1, 'Another picture beside it'));
    takeDrops();
  } else fieldOf('text').value ||= live.about.texts[0] ?? '';
  for (const e of document.querySelectorAll('.live :disabled')) e.disabled = false;
  timing.live = performance.now();
  tell(`${whatToGive()}: the model is in this file, and nothing leaves it. ${weightsHeld()}`);
}
addEventListener('DOMContentLoaded', () => {
  window.mhaViz.live = live;
  window.mhaViz.ask = ask;
  startLive();
});
