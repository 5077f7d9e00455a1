// The table of contents is open where there is room beside the text.
for (const contents of document.querySelectorAll(".contents")) {
  contents.open = window.matchMedia("(min-width: 64rem)").matches;
}

// Whoever chooses a language for one sample reads all samples in it; the one that was chosen stays where it is.
document.addEventListener("change", ({ target }) => {
  const top = target.getBoundingClientRect().top;
  for (const other of document.querySelectorAll(".tabs input")) {
    if (other.value === target.value) other.checked = true;
  }
  window.scrollBy(0, target.getBoundingClientRect().top - top);
});
