"use strict";

// Validates a Chilean RUT while it is typed. The server validates it again.
const field = document.querySelector("[data-country='CL']");

function checkCharacter(body) {
    let sum = 0;
    let factor = 2;
    for (const digit of [...body].reverse()) {
        sum += Number(digit) * factor;
        factor = factor === 7 ? 2 : factor + 1;
    }
    return "0K987654321"[sum % 11];
}

function isRut(text) {
    const found = /^(\d{7,8})-?([\dK])$/.exec(text.replace(/[.\s]/g, "").toUpperCase());
    return found !== null && checkCharacter(found[1]) === found[2];
}

if (field) {
    const verdict = document.createElement("p");
    verdict.className = "pa-verdict";
    verdict.setAttribute("aria-live", "polite");
    field.after(verdict);
    const tell = () => {
        const good = isRut(field.value);
        const isDummy = good && /^(\d)\1*-?\1$/.test(field.value.replace(/[.\s]/g, ""));
        verdict.dataset.isGood = good && !isDummy ? "yes" : "no";
        const { rutGood, rutBad, rutDummy } = field.dataset;
        verdict.textContent = field.value && (isDummy ? rutDummy : good ? rutGood : rutBad);
    };
    field.addEventListener("input", tell);
    tell();
}
