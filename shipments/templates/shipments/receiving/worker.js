// Lets the page that scans be loaded again without a network. What it gives then was put into the cache by receive.js:
// the shell of a batch, which names no person, and its static files. Everything else is left to the browser.
const isOurs = ({ method, mode, url }) => method === "GET" && (mode === "navigate" || new URL(url).pathname.startsWith("{{ static }}"));

addEventListener("fetch", (event) => {
  if (!isOurs(event.request)) return;
  event.respondWith(
    fetch(event.request).catch(async (error) => {
      const kept = await caches.match(event.request.url, { ignoreVary: true });
      if (!kept) throw error;
      return kept;
    }),
  );
});
