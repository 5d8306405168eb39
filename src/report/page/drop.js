/* SPDX-License-Identifier: MIT
   A picture for a live page: dropped on it or chosen, decoded by the browser, handed to the program
   as it is stored, upright, without its profile of colours and without transparency. */
const MOST_SIDE = 1 << 15,
  MOST_PIXELS = 1e8; /* of a picture, as media/pixels.h has them */

/* The first picture, and the one beside it: {name, width, height, rgb} */
const pictures = [null, null];

/* In the page's folder, where the model's files are too. */
function nameInPage({ name }) {
  const flat = name.replaceAll('/', ' '),
    taken = live.about.files.some(({ path }) => path.split('/')[0] === flat);
  return taken || flat === '-' || flat === '' ? `picture ${flat}` : flat;
}

async function decodePicture(file) {
  let bitmap;
  try {
    bitmap = await createImageBitmap(file, { colorSpaceConversion: 'none', premultiplyAlpha: 'none' });
  } catch {
    throw new Error(`${file.name} is not a picture that this browser can read.`);
  }
  const { width, height } = bitmap;
  try {
    if (width > MOST_SIDE || height > MOST_SIDE || width * height > MOST_PIXELS)
      throw new Error(
        `${file.name} has ${width} x ${height} pixels; a picture may have ${MOST_SIDE} on a side and ${MOST_PIXELS / 1e6} million in all.`,
      );
    return { name: nameInPage(file), width, height, rgb: rgbOf(bitmap, file.name) };
  } finally {
    bitmap.close();
  }
}

/* A canvas of two dimensions multiplies by transparency, which loses colours; one of WebGL does not,
   but is not there everywhere. */
function rgbOf(bitmap, name) {
  const plain = rgbaOfCanvas(bitmap, name),
    clear = plain.some((v, i) => i % 4 === 3 && v !== 255),
    rgba = (clear && rgbaOfTexture(bitmap)) || plain,
    rgb = new Uint8Array((rgba.length / 4) * 3);
  for (let i = 0, at = 0; i < rgba.length; i += 4) {
    rgb[at++] = rgba[i];
    rgb[at++] = rgba[i + 1];
    rgb[at++] = rgba[i + 2];
  }
  return rgb;
}
function rgbaOfCanvas(bitmap, name) {
  const canvas = element('canvas', { width: bitmap.width, height: bitmap.height }),
    context = canvas.getContext('2d', { willReadFrequently: true });
  try {
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
  } catch {
    throw new Error(`${name} is too large for this browser.`);
  }
}
function rgbaOfTexture(bitmap) {
  const gl = element('canvas').getContext('webgl'),
    out = new Uint8Array(bitmap.width * bitmap.height * 4);
  if (!gl || Math.max(bitmap.width, bitmap.height) > gl.getParameter(gl.MAX_TEXTURE_SIZE)) return null;
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
  gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, gl.getParameter(gl.TEXTURE_BINDING_2D), 0);
  gl.readPixels(0, 0, bitmap.width, bitmap.height, gl.RGBA, gl.UNSIGNED_BYTE, out);
  const failed = gl.getError() !== gl.NO_ERROR;
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return failed ? null : out;
}

/* What was chosen: shown; without a file the picture beside it goes, and the first stays. */
async function takeFile(place, file) {
  if (!file && place === 0) return;
  try {
    pictures[place] = file ? await decodePicture(file) : null;
  } catch (error) {
    tell(error.message, true);
    return;
  }
  await follow();
}

function chooser(place, label) {
  const input = element('input', {
    type: 'file',
    name: `picture${place}`,
    accept: 'image/*',
    on: { change: () => takeFile(place, input.files[0]) },
  });
  return element('label', { class: `of-picture${place}` }, label, input);
}

/* Anywhere on the page. */
function takeDrops() {
  const over = (on) => document.body.classList.toggle('dropping', on);
  addEventListener('dragover', (event) => {
    event.preventDefault();
    over(true);
  });
  addEventListener('dragleave', () => over(false));
  addEventListener('drop', (event) => {
    event.preventDefault();
    over(false);
    const [file] = event.dataTransfer.files;
    if (file) takeFile(0, file);
    else tell('What was dropped is not a file: expected a picture.', true);
  });
}

/* The picture that the page was made with, as the model sees it: what the program begins with. */
const firstPicture = async () => ({
  name: 'first',
  width: texts[0].picture.width,
  height: texts[0].picture.height,
  rgb: await pixelsOf(texts[0]),
});
function sendPicture({ name, width, height, rgb }) {
  live.worker.postMessage({ picture: name, width, height, rgb });
}
