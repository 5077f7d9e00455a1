// The table of contents is open where there is room beside the text.
for (const contents of document.querySelectorAll(".contents")) {
  contents.open = window.matchMedia("(min-width: 64rem)").matches;
}
