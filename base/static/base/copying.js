"use strict";

for (const button of document.querySelectorAll("[data-copies]")) {
    const field = document.getElementById(button.dataset.copies);
    button.addEventListener("click", async () => {
        field.select();
        try {
            await navigator.clipboard.writeText(field.value);
        } catch {
            // The clipboard is closed to pages that did not come over HTTPS; the selected text can still be copied.
            if (!document.execCommand("copy")) {
                return;
            }
        }
        button.textContent = button.dataset.copied;
    });
}
