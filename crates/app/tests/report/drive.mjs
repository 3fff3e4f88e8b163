// Opens a page in a real browser and looks at it: `drive.mjs CHROMIUM AXE ADDRESS [SHOTS]`. Prints what it saw as JSON.
// Playwright is found through NODE_PATH, which only `require` heeds.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(process.env.NODE_PATH + "/");
const { chromium } = require("playwright-core");
const [executable, axePath, address, shots] = process.argv.slice(2);
const axe = readFileSync(axePath, "utf8");
const own = new URL(address).origin;
const seen = { console: [], requests: [], reports: [], axe: [], numbers: {}, images: [] };

const browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox", "--disable-gpu"] });
try {
  for (const scheme of ["light", "dark"]) {
    for (const width of [1280, 420]) {
      const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      page.on("console", (message) => seen.console.push(`${message.type()}: ${message.text()}`));
      page.on("pageerror", (error) => seen.console.push(String(error)));
      page.on("request", (request) => {
        if (request.url() !== address && !(own !== "null" && request.url().startsWith(own))) seen.requests.push(request.url());
      });
      await page.addInitScript(() => {
        window.reports = [];
        document.addEventListener("securitypolicyviolation", (event) => window.reports.push(`${event.violatedDirective} ${event.blockedURI}`));
      });
      await page.goto(address, { waitUntil: "load" });
      await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
      await page.evaluate(axe);
      const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      for (const one of found.violations) seen.axe.push(`${scheme} ${width} ${one.id}: ${one.nodes[0].html.slice(0, 200)}`);
      seen.reports.push(...(await page.evaluate(() => window.reports)));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (wide > 0) seen.console.push(`${scheme} ${width}: the page is ${wide} pixels too wide`);
      if (shots) {
        await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = false)));
        const file = `${shots}/report-${scheme}-${width}.png`;
        await page.screenshot({ path: file, clip: { x: 0, y: 0, width, height: width > 800 ? 1180 : 1400 }, fullPage: true });
        seen.images.push(file);
      }
      if (scheme === "light" && width === 1280) {
        seen.numbers = await page.evaluate(() =>
          Object.fromEntries([...document.querySelectorAll("[data-n]")].map((one) => [one.dataset.n, Number(one.dataset.v)])),
        );
        seen.filters = await filters(page);
        await page.emulateMedia({ media: "print" });
        seen.printed = await page.evaluate(() => getComputedStyle(document.querySelector("nav")).display);
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
}
console.log(JSON.stringify(seen));

// By click and by keyboard alone; rows that are shown, each time.
async function filters(page) {
  if (!(await page.$(".filters"))) return null;
  const shown = () =>
    page.evaluate(() => {
      const rows = [...document.querySelectorAll("#decision-list tbody tr")].filter((row) => !row.hidden);
      return { rows: rows.length, verdicts: [...new Set(rows.map((row) => row.dataset.verdict))], said: document.querySelector(".filters output").value };
    });
  const steps = { all: await shown() };
  await page.click('input[name="verdict"][value="deny"]');
  steps.denied = await shown();
  await page.focus('input[name="verdict"][value="deny"]');
  await page.keyboard.press("ArrowRight");
  steps.asked = await shown();
  await page.focus('input[name="verdict"][value="ask"]');
  await page.keyboard.press("ArrowRight");
  steps.back = await shown();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Tab");
  steps.focused = await page.evaluate(() => document.activeElement.name);
  await page.keyboard.press("ArrowDown");
  steps.rule = { ...(await shown()), value: await page.evaluate(() => document.querySelector('select[name="rule"]').value) };
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Tab");
  await page.keyboard.type("no such words anywhere");
  steps.none = await shown();
  return steps;
}
