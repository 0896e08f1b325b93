// A headless Chromium driven over a pair of pipes (DevTools protocol, messages that end in a zero byte): no packages needed.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const options = ["--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-pipe"];

export class Browser {
  constructor(program) {
    this.profile = mkdtempSync(join(tmpdir(), "icf-browser-"));
    this.process = spawn(program, [...options, `--user-data-dir=${this.profile}`, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.waiting = new Map();
    this.listeners = [];
    this.next = 1;
    this.rest = "";
    this.process.stdio[4].setEncoding("utf8").on("data", (text) => this.receive(text));
    this.ended = new Promise((resolve) => this.process.on("exit", resolve));
    this.ended.then(() => { for (const { reject } of this.waiting.values()) reject(new Error("the browser ended")); });
  }

  receive(text) {
    const messages = (this.rest + text).split("\0");
    this.rest = messages.pop();
    for (const message of messages.map((part) => JSON.parse(part))) {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (!waiting) this.listeners.forEach((listener) => listener(message));
      else if (message.error) waiting.reject(new Error(message.error.message));
      else waiting.resolve(message.result);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.next++;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  // prelude: script that runs before those of the page
  async open(file, width, height, hash = "", mobile = false, prelude = "") {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    await page.start(pathToFileURL(file).href + hash, width, height, mobile, prelude);
    return page;
  }

  async close() {
    await this.send("Browser.close").catch(() => {});
    await this.ended;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

const keyCodes = { ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Enter: 13, Tab: 9, Home: 36, End: 35, " ": 32 };

class Page {
  constructor(browser, session, target) {
    Object.assign(this, { browser, session, target, complaints: [] });
    browser.listeners.push((message) => message.sessionId === session && this.listen(message));
  }

  // Every error and warning of the page, and every request that leaves the file.
  listen({ method, params }) {
    if (method === "Runtime.exceptionThrown") this.complaints.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
    if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type))
      this.complaints.push(params.args.map((arg) => arg.value ?? arg.description).join(" "));
    if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level)) this.complaints.push(params.entry.text);
    if (method === "Network.requestWillBeSent" && !/^(file|data|blob):/.test(params.request.url)) this.complaints.push(`request of ${params.request.url}`);
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  async start(address, width, height, mobile, prelude) {
    await Promise.all(["Page", "Runtime", "Log", "Network"].map((domain) => this.send(`${domain}.enable`)));
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
    await this.send("Page.addScriptToEvaluateOnNewDocument", { source: prelude });
    await this.send("Page.navigate", { url: address });
    await this.until("window.icfReport && icfReport.ready");
    await this.run("icfReport.ready");
  }

  // Value of an expression in the page; promises are waited for.
  async run(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description || exceptionDetails.text}`);
    return result.value;
  }

  async until(expression, seconds = 30) {
    for (const end = Date.now() + 1000 * seconds; Date.now() < end;) {
      if (await this.run(`Boolean(${expression})`)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`waited for ${expression}`);
  }

  // Middle of an element, or a point of it (0..1), after it was scrolled into view.
  async placeOf(selector, x = 0.5, y = 0.5) {
    const box = await this.run(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({ block: "center" });
      const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()`);
    return [box[0] + x * box[2], box[1] + y * box[3]];
  }

  async mouse(type, x, y, button = "none", buttons = 0) {
    await this.send("Input.dispatchMouseEvent", { type, x, y, button, buttons, clickCount: type === "mouseMoved" ? 0 : 1 });
  }

  async click(selector, ...at) {
    const [x, y] = await this.placeOf(selector, ...at);
    await this.mouse("mouseMoved", x, y);
    await this.mouse("mousePressed", x, y, "left", 1);
    await this.mouse("mouseReleased", x, y, "left");
  }

  async press(key) {
    const code = keyCodes[key] ?? key.toUpperCase().charCodeAt(0);
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, text, windowsVirtualKeyCode: code });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, windowsVirtualKeyCode: code });
  }

  focus(selector) {
    return this.run(`document.querySelector(${JSON.stringify(selector)}).focus()`);
  }

  // A picture of the window, or of the whole page.
  async picture(path, whole = false) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: whole, ...(whole ? { clip: await this.pageBox() } : {}) });
    writeFileSync(path, Buffer.from(data, "base64"));
  }

  async pageBox() {
    const { cssContentSize } = await this.send("Page.getLayoutMetrics");
    return { ...cssContentSize, scale: 1 };
  }

  close() {
    return this.browser.send("Target.closeTarget", { targetId: this.target });
  }
}
