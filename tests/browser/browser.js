// browser.js - a headless Chromium, driven by the WebDriver protocol with Node's own fetch
//
// Debian's packages chromium and chromium-driver.  Letters are those of DejaVu whatever else is installed, so that
// screenshots are alike everywhere.
'use strict';

const { spawn } = require('child_process');
const fs = require('fs');
const path = require('path');

const ARGUMENTS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars', '--force-device-scale-factor=1',
  '--font-render-hinting=none', '--disable-lcd-text', '--disable-background-networking', '--no-first-run'];
const WAIT_MS = 60000; // for the driver

function fontConfiguration(folder) {
  const file = path.join(folder, 'fonts.conf');
  fs.writeFileSync(file, `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts/truetype/dejavu</dir>
  <selectfont>
    <rejectfont><glob>*</glob></rejectfont>
    <acceptfont><glob>*/DejaVuSans.ttf</glob></acceptfont>
    <acceptfont><glob>*/DejaVuSans-Bold.ttf</glob></acceptfont>
    <acceptfont><glob>*/DejaVuSansMono.ttf</glob></acceptfont>
  </selectfont>
  <cachedir>${folder}/fonts</cachedir>
  <alias binding="same"><family>system-ui</family><prefer><family>DejaVu Sans</family></prefer></alias>
  <alias binding="same"><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
  <alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`);
  return file;
}

// The driver chooses a port and says which.
function startDriver(folder) {
  const environment = { ...process.env, FONTCONFIG_FILE: fontConfiguration(folder), HOME: folder, TMPDIR: folder };
  const driver = spawn('chromedriver', ['--port=0'], { env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve, reject) => {
    let said = '';
    const patience = setTimeout(() => {
      driver.kill();
      reject(new Error('chromedriver does not start'));
    }, WAIT_MS);
    driver.on('error', reject);
    driver.stdout.on('data', (chunk) => {
      said += chunk;
      const port = /successfully on port (\d+)/.exec(said);
      if (port) {
        clearTimeout(patience);
        resolve({ driver, address: `http://127.0.0.1:${port[1]}` });
      }
    });
  });
}

class Browser {
  constructor(driver, address, session) {
    this.driver = driver;
    this.address = `${address}/session/${session}`;
  }

  // A browser whose window shows that many pixels; files that it saves go to `folder`, which it may litter.
  static async start(folder, width = 800, height = 600) {
    const { driver, address } = await startDriver(folder);
    const capabilities = {
      browserName: 'chrome',
      'goog:chromeOptions': {
        args: [...ARGUMENTS, `--window-size=${width},${height}`],
        prefs: { 'download.default_directory': folder, 'download.prompt_for_download': false },
      },
      'goog:loggingPrefs': { browser: 'ALL', performance: 'ALL' },
    };
    const answer = await call('POST', `${address}/session`, { capabilities: { alwaysMatch: capabilities } })
      .catch((error) => {
        driver.kill();
        throw error;
      });
    const browser = new Browser(driver, address, answer.sessionId);
    await call('POST', `${browser.address}/timeouts`, { script: WAIT_MS });
    await browser.devtools('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    return browser;
  }

  // The session ends before the driver, or else the browser would stay.
  async close() {
    await call('DELETE', this.address).catch(() => {});
    this.driver.kill();
  }

  open(address) {
    return call('POST', `${this.address}/url`, { url: address });
  }

  // The value of a function's body; a promise is waited for.
  run(body, ...values) {
    return call('POST', `${this.address}/execute/sync`, { script: body, args: values });
  }

  devtools(cmd, params) {
    return call('POST', `${this.address}/goog/cdp/execute`, { cmd, params });
  }

  // Presses a mouse button at a point of the window and lets it go.
  async click(x, y) {
    const point = { x: Math.round(x), y: Math.round(y) };
    await this.act({ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: [
      { type: 'pointerMove', duration: 0, ...point }, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }] });
  }

  wheel(x, y, deltaY) {
    return this.act({ type: 'wheel', id: 'wheel', actions: [
      { type: 'scroll', x: Math.round(x), y: Math.round(y), deltaX: 0, deltaY, duration: 0 }] });
  }

  keys(...list) {
    const actions = list.flatMap((key) => [{ type: 'keyDown', value: key }, { type: 'keyUp', value: key }]);
    return this.act({ type: 'key', id: 'keys', actions });
  }

  act(...actions) {
    return call('POST', `${this.address}/actions`, { actions });
  }

  // A PNG, in base64.
  screenshot() {
    return call('GET', `${this.address}/screenshot`);
  }

  // What was printed since the last question, and what was asked of the network or of files.
  async log() {
    const said = await call('POST', `${this.address}/se/log`, { type: 'browser' });
    const events = await call('POST', `${this.address}/se/log`, { type: 'performance' });
    const requests = events.map((event) => JSON.parse(event.message).message)
      .filter((event) => event.method === 'Network.requestWillBeSent').map((event) => event.params.request.url);
    return { messages: said.map((one) => one.message), requests };
  }
}

async function call(method, address, body) {
  const answer = await fetch(address, { method, body: body && JSON.stringify(body), signal: AbortSignal.timeout(WAIT_MS) });
  const { value } = await answer.json();
  if (!answer.ok)
    throw new Error(`${value.error}: ${value.message}`);
  return value;
}

const KEY = { up: '\uE013', down: '\uE015', left: '\uE012', right: '\uE014', enter: '\uE007', escape: '\uE00C', tab: '\uE004' };

module.exports = { Browser, KEY };
