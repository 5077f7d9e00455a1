"use strict";

const secret = document.getElementById("api-password");
const button = document.querySelector("[data-copy]");

function select(element) {
    const selection = window.getSelection();
    selection.removeAllRanges();
    const range = document.createRange();
    range.selectNodeContents(element);
    selection.addRange(range);
}

async function copy() {
    try {
        await navigator.clipboard.writeText(secret.textContent);
    } catch {
        // The clipboard is closed to pages that did not come over HTTPS; the old command may still work there.
        select(secret);
        return document.execCommand("copy");
    }
    return true;
}

if (secret && button) {
    button.addEventListener("click", async () => {
        const copied = await copy();
        button.querySelector("[data-before]").hidden = copied;
        button.querySelector("[data-after]").hidden = !copied;
    });
    // Some browsers keep a page to come back to, however it forbids storing: the way back asks the server again.
    window.addEventListener("pagehide", () => secret.remove());
    window.addEventListener("pageshow", (event) => event.persisted && window.location.reload());
}
