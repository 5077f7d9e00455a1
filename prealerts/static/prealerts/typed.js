// What is typed into a form and not saved yet: leaving the page asks first, and what the end of a session took away is put
// back after the login. It is kept in this tab, of one page and one operator; never passwords, codes, secrets or files.
// It is gone once it is saved, on logging out, and when somebody else logs in.
(() => {
  const KEY = "typed";
  const FORMS = "#main form[method=post]:not(#changelist-form)";
  const NEVER = ["hidden", "password", "file", "submit", "button", "reset", "image"];
  const SECRET = /pass(word|phrase)?|secret|token|api_?key|^(code|otp|pin|typed)$/i;
  const LEAVING_MS = 1000; // a form that downloads a file leaves its page open
  let words;
  let kept; // { operator, page, form, fields: { "name#nth": [value, label] }, sent, ended }
  let isLeaving = false;

  const store = () => (kept ? sessionStorage.setItem(KEY, JSON.stringify(kept)) : sessionStorage.removeItem(KEY));
  const forget = () => {
    kept = undefined;
    store();
  };
  // What lets a page be loaded without a network (see `worker.js`): nobody is logged in, so nobody may load it.
  const forgetPages = async () => {
    for (const each of (await navigator.serviceWorker?.getRegistrations()) ?? []) await each.unregister();
    for (const name of (await globalThis.caches?.keys()) ?? []) await caches.delete(name);
  };
  const here = () => location.pathname + location.search;
  const forms = () => [...document.querySelectorAll(FORMS)];
  const isSecret = (field) =>
    /password|one-time-code/.test(field.autocomplete) || (field.tagName !== "SELECT" && SECRET.test(field.name));
  // The token by which a stale form is found out (`StaleCheck`) goes with what was typed.
  const isToken = (field) => field.type === "hidden" && /(^|-)seen$/.test(field.name);

  const fieldsOf = (form) => {
    const counts = {};
    const found = {};
    for (const field of form.elements) {
      if (!field.name || field.disabled || isSecret(field) || (NEVER.includes(field.type) && !isToken(field))) continue;
      counts[field.name] = (counts[field.name] ?? -1) + 1;
      found[`${field.name}#${counts[field.name]}`] = field;
    }
    return found;
  };

  const isTicked = (field) => ["checkbox", "radio"].includes(field.type);
  const chosen = (field) => [...field.options].filter((option) => option.selected);
  const isChanged = (field) => {
    if (isTicked(field)) return field.checked !== field.defaultChecked;
    if (field.tagName !== "SELECT") return field.value !== field.defaultValue;
    const before = [...field.options].filter((option) => option.defaultSelected);
    const initial = before.length || field.multiple ? before : [...field.options].slice(0, 1);
    return chosen(field).map((option) => option.value).join() !== initial.map((option) => option.value).join();
  };
  const isText = (field) => !isTicked(field) && field.tagName !== "SELECT" && !isToken(field);
  const stateOf = (field) => {
    if (isTicked(field)) return field.checked;
    if (field.tagName === "SELECT") return chosen(field).map((option) => [option.value, option.text]);
    return field.value;
  };

  const keep = (form) => {
    const number = forms().indexOf(form);
    // A form that is shown again with its errors has what was typed as its own values.
    const before = kept?.form === number ? kept.fields : {};
    const found = Object.entries(fieldsOf(form));
    const typed = found.filter(([key, field]) => !isToken(field) && (isChanged(field) || key in before));
    if (!typed.length) return;
    const tokens = found.filter(([, field]) => isToken(field)).map(([key, field]) => [key, before[key] ?? field.value]);
    const fields = Object.fromEntries([...tokens, ...typed.map(([key, field]) => [key, stateOf(field)])]);
    kept = { operator: words.operator, page: here(), form: number, fields };
    store();
  };

  const put = (field, state) => {
    if (isTicked(field)) field.checked = state;
    else if (field.tagName === "SELECT") {
      for (const [value, text] of state) {
        if (![...field.options].some((option) => option.value === value)) field.add(new Option(text, value));
      }
      for (const option of field.options) option.selected = state.some(([value]) => value === option.value);
    } else field.value = state;
    if (!isToken(field)) for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
  };

  const putBack = () => {
    const form = forms()[kept.form];
    if (!form) return forget();
    const { fields } = kept; // what is put back is kept again, field by field
    const found = fieldsOf(form);
    for (const [key, state] of Object.entries(fields)) if (found[key]) put(found[key], state);
    kept = { ...kept, fields, sent: false, ended: false };
    store();
    const said = document.createElement("p");
    said.className = "pa-put-back";
    said.setAttribute("role", "status");
    said.textContent = words.putBack;
    form.prepend(said);
  };

  const wasRefused = () =>
    (performance.getEntriesByType("navigation")[0]?.responseStatus ?? 200) >= 400 ||
    document.querySelector("#main .errornote, #main .errorlist, #main .pa-errors") !== null;

  const begin = () => {
    words = document.querySelector("#words").dataset;
    if (!words.operator) void forgetPages();
    kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null") ?? undefined;
    if (!kept) return;
    if (!words.operator) kept = { ...kept, ended: true };
    else if (kept.operator !== words.operator) kept = undefined;
    else if (kept.page === here() && kept.ended) return putBack();
    else if (kept.page === here() && kept.sent && wasRefused()) {
      const typed = Object.entries(kept.fields).filter(([key]) => !/(^|-)seen#/.test(key));
      kept = { ...kept, fields: Object.fromEntries(typed), sent: false };
    }
    else if (!kept.ended) kept = undefined;
    store();
  };

  const formOf = (target) => forms().find((form) => target.form === form);
  const isUnsaved = () =>
    forms().some((form) => Object.values(fieldsOf(form)).some((field) => isText(field) && isChanged(field)));

  document.addEventListener("DOMContentLoaded", begin);
  for (const name of ["input", "change"]) {
    document.addEventListener(name, (event) => {
      const form = formOf(event.target);
      if (form && words) keep(form);
    });
  }
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    if (event.target.id === "logout-form") forget();
    else if (!forms().includes(event.target)) return;
    else if (kept) {
      keep(event.target);
      kept = { ...kept, sent: true };
      store();
    }
    isLeaving = true;
    setTimeout(() => (isLeaving = false), LEAVING_MS);
  });
  document.addEventListener("htmx:beforeOnLoad", (event) => {
    if (event.detail.xhr.getResponseHeader("HX-Redirect")) isLeaving = true; // to the login: it is put back afterwards
  });
  window.addEventListener("beforeunload", (event) => {
    if (!isLeaving && isUnsaved()) event.preventDefault();
  });
})();
