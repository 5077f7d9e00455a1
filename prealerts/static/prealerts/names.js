// Gives a name to what libraries leave without one for screen readers: the fields of select2, and the tooltips beside
// the boxes of Django's filter_horizontal. They are drawn by scripts, at any time.
(() => {
  const unnamed = ":is(.select2-search__field, .select2-selection__rendered[role=textbox]):not([aria-label])";

  const nameOf = (field) => {
    // A list that is open is drawn at the end of the page; its results have the id of the select.
    const id = field.closest(".select2-dropdown")?.querySelector(".select2-results__options")?.id;
    const select = id
      ? document.getElementById(id.replace(/^select2-/, "").replace(/-results$/, ""))
      : field.closest(".select2-container")?.previousElementSibling;
    return select?.labels?.[0]?.textContent.trim() || select?.dataset.placeholder || select?.name;
  };

  const name = () => {
    for (const field of document.querySelectorAll(unnamed)) {
      const found = nameOf(field);
      if (found) field.setAttribute("aria-label", found);
    }
    for (const tooltip of document.querySelectorAll(".help-tooltip[aria-label]:not([role])")) {
      tooltip.setAttribute("role", "img");
    }
  };

  document.addEventListener("DOMContentLoaded", () => {
    name();
    new MutationObserver(name).observe(document.body, { childList: true, subtree: true });
  });
})();
