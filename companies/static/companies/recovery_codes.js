"use strict";

const list = document.getElementById("recovery-codes");

function text() {
    return [...list.querySelectorAll("code")].map((code) => code.textContent).join("\n") + "\n";
}

async function copy(button) {
    try {
        await navigator.clipboard.writeText(text());
    } catch {
        // The clipboard is closed to pages that did not come over HTTPS; the codes can still be selected.
        window.getSelection().selectAllChildren(list);
        if (!document.execCommand("copy")) {
            return;
        }
    }
    button.querySelector("[data-before]").hidden = true;
    button.querySelector("[data-after]").hidden = false;
}

function download(name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text()], { type: "text/plain" }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
}

if (list) {
    const copying = document.querySelector("[data-copy]");
    const downloading = document.querySelector("[data-download]");
    copying.addEventListener("click", () => copy(copying));
    downloading.addEventListener("click", () => download(downloading.dataset.download));
    // Some browsers keep a page to come back to, however it forbids storing: the way back asks the server again.
    window.addEventListener("pagehide", () => list.remove());
    window.addEventListener("pageshow", (event) => event.persisted && window.location.reload());
}
