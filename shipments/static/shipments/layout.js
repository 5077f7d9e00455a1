// The searchable selects are select2's, whose choices are events of jQuery's alone: htmx hears only the browser's own.
django.jQuery(document).on("change", ".pa-layout select", (event) => {
  if (!event.originalEvent) {
    event.target.dispatchEvent(new Event("change", { bubbles: true }));
  }
});
