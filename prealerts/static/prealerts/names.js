// Says to screen readers and keyboards what unfold's templates and libraries leave out: the page's main part and its
// navigations; icons, whose text is the name of a drawing; what opens by a click and is no button; the fields of select2
// and the tooltips of Django's filter_horizontal. Some are drawn by scripts, at any time. The words are in command.html.
(() => {
  const unnamed = ":is(.select2-search__field, .select2-selection__rendered[role=textbox]):not([aria-label])";
  const clickable = ":is(a:not([href]), div, span)[x-on\\:click]:not([role], :empty)";
  let words;

  const nameOf = (field) => {
    // A list that is open is drawn at the end of the page; its results have the id of the select.
    const id = field.closest(".select2-dropdown")?.querySelector(".select2-results__options")?.id;
    const select = id
      ? document.getElementById(id.replace(/^select2-/, "").replace(/-results$/, ""))
      : field.closest(".select2-container")?.previousElementSibling;
    return select?.labels?.[0]?.textContent.trim() || select?.dataset.placeholder || select?.name;
  };

  const label = (element, name) => name && element.setAttribute("aria-label", name);

  const hide = (icon) => {
    const drawing = icon.textContent.trim();
    const control = icon.closest("a, button, [role=button]");
    if (control && !control.title && !control.ariaLabel && control.textContent.trim() === drawing) {
      label(control, words[drawing]);
    }
    if (control === icon) label(icon, icon.title || words[drawing]);
    else if (icon.title && !control) {
      icon.setAttribute("role", "img");
      label(icon, icon.title);
    } else icon.setAttribute("aria-hidden", "true");
  };

  const name = () => {
    for (const field of document.querySelectorAll(unnamed)) label(field, nameOf(field));
    for (const tooltip of document.querySelectorAll(".help-tooltip[aria-label]:not([role])")) {
      tooltip.setAttribute("role", "img");
    }
    for (const cross of document.querySelectorAll(".select2-selection__clear:not([role])")) {
      cross.setAttribute("role", "listitem"); // it is drawn as a child of the list
    }
    for (const control of document.querySelectorAll(clickable)) {
      control.setAttribute("role", "button");
      control.tabIndex = 0;
    }
    document.querySelectorAll(".material-symbols-outlined:not([aria-hidden], [aria-label])").forEach(hide);
    for (const [selector, word] of Object.entries(words)) {
      if (/^[#.[]/.test(selector)) document.querySelectorAll(selector).forEach((element) => label(element, word));
    }
  };

  document.addEventListener("DOMContentLoaded", () => {
    words = JSON.parse(document.querySelector("#words").dataset.words);
    const main = document.querySelector("#main") || document.querySelector("#page");
    main?.setAttribute("role", "main");
    if (main) main.tabIndex = -1; // what the skip link leads to
    name();
    new MutationObserver(name).observe(document.body, { childList: true, subtree: true });
  });

  // What is wrong with a form takes the focus, once unfold shows the page.
  document.addEventListener("alpine:initialized", () => {
    requestAnimationFrame(() => document.querySelector(".pa-errors")?.focus());
  });

  document.addEventListener("keydown", (event) => {
    if (!["Enter", " "].includes(event.key) || !event.target.matches("[role=button][x-on\\:click]:not([href])")) return;
    event.preventDefault();
    event.target.click();
  });
})();
