// The table of contents is open where there is room beside the text.
for (const contents of document.querySelectorAll(".contents")) {
  contents.open = window.matchMedia("(min-width: 64rem)").matches;
}

// A button on each sample copies it.
const { copy, copied } = document.getElementById("content").dataset;
for (const sample of document.querySelectorAll("main pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = copy;
  button.addEventListener("click", async () => {
    const code = sample.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      // The clipboard is closed to pages that did not come over HTTPS; the selected text can still be copied.
      window.getSelection().selectAllChildren(code);
      if (!document.execCommand("copy")) return;
    }
    button.textContent = copied;
    setTimeout(() => { button.textContent = copy; }, 2000);
  });
  sample.append(button);
}

// Whoever chooses a language for one sample reads all samples in it; the one that was chosen stays where it is.
document.addEventListener("change", ({ target }) => {
  const top = target.getBoundingClientRect().top;
  for (const other of document.querySelectorAll(".tabs input")) {
    if (other.value === target.value) other.checked = true;
  }
  window.scrollBy(0, target.getBoundingClientRect().top - top);
});
