// The second click of a double click sends a form again: two notes, two secrets of which the client has neither. It is
// dropped. After a second the form can be sent again, for a form that downloads a file stays on the page.
(() => {
  const PAUSE_MS = 1000;
  const sentAt = new WeakMap();

  document.addEventListener(
    "submit",
    (event) => {
      const isSecond = event.timeStamp - (sentAt.get(event.target) ?? -Infinity) < PAUSE_MS;
      if (isSecond) event.preventDefault();
      else if (event.target.method === "post") sentAt.set(event.target, event.timeStamp);
    },
    true,
  );
})();
