// After each swap unfold reads the options of an inline from the part that is new, and throws where a page updates itself:
// its main part has rows of a form, and is no inline.
document.addEventListener(
  "htmx:afterSettle",
  (event) => {
    if (!event.target.dataset.inlineFormset) event.stopImmediatePropagation();
  },
  true,
);
