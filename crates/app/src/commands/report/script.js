"use strict";
// Chooses rows of the list of decisions; where the page is served live, adds new ones. Text only ever becomes text.
(() => {
  const form = document.querySelector(".filters");
  const body = document.querySelector("#decision-list tbody");
  const choose = () => {
    if (!form || !body) return;
    const verdict = form.elements.verdict.value;
    const rule = form.elements.rule.value;
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of body.rows) {
      const text = row.textContent.toLowerCase();
      const fits =
        (!verdict || row.dataset.verdict === verdict) &&
        (!rule || row.dataset.rules.split(" ").includes(rule)) &&
        words.every((word) => text.includes(word));
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    form.elements.shown.value = `${shown} of ${body.rows.length} shown`;
  };
  if (form) {
    form.addEventListener("input", choose);
    form.addEventListener("submit", (event) => event.preventDefault());
    choose();
  }
  const live = document.querySelector(".live");
  if (!live) return;
  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.textContent = text;
    return made;
  };
  let calls = 0;
  const add = (one) => {
    calls += 1;
    live.lastElementChild.textContent = `live, ${calls} new hook ${calls === 1 ? "call" : "calls"}; reload for the charts`;
    if (!body || !one.stopped) return;
    const row = body.insertRow(0);
    row.dataset.verdict = one.kind;
    row.dataset.rules = one.rules.join(" ");
    const when = document.createElement("th");
    when.scope = "row";
    when.append(element("time", "", one.when));
    const what = document.createElement("td");
    what.append(element("span", "tool", one.what), " ", element("code", "", one.subject));
    if (one.reason) what.append(element("span", "reason", one.reason));
    const verdict = document.createElement("td");
    verdict.append(element("span", `badge ${one.kind}`, one.words));
    const checks = document.createElement("td");
    one.rules.forEach((rule) => checks.append(element("code", "", rule), " "));
    row.append(when, verdict, what, checks, element("td", "", ""));
    choose();
  };
  const events = new EventSource("events");
  events.onopen = () => live.classList.add("on");
  events.onerror = () => live.classList.remove("on");
  events.onmessage = (event) => add(JSON.parse(event.data));
})();
