// Scans parcels into a batch, with or without a network. A scan is stored in IndexedDB before it is sent, goes out in
// order with its `scan_id`, and leaves the store once it is answered; what must not be released leaves it once it is
// confirmed. Stored are codes, times and holds, with the operator whose they are: no name and no address of a consignee.
// The page itself is loaded again without a network as its shell, which the service worker finds in the cache; it asks
// for its token, and for what happened meanwhile, once the network is back.
(() => {
  const root = document.querySelector("#receive");
  let asked = JSON.parse(root.dataset.asked);
  const { words } = asked;
  const tokenOf = (page) => page.querySelector("[name=csrfmiddlewaretoken]")?.value;
  let token = tokenOf(root);
  const part = (name) => root.querySelector(`#receive-${name}`);
  const MOST_AT_ONCE = 50;
  const LONGEST_CODE = 100;
  const SHOWN_SCANS = 8;
  const SHOWN_HELD = 20;
  const PATIENCE_MS = 15_000;
  const TONES = { matched: [880], more_packages: [660, 660], held: [180, 140, 180], unchecked: [520] };

  // --- the store -----------------------------------------------------------------------------------------------------

  const opened = new Promise((resolve, reject) => {
    const request = indexedDB.open("prealerts-receiving", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("scans", { keyPath: "order", autoIncrement: true });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

  // Resolves once the change is on the disk.
  async function inStore(mode, change) {
    const transaction = (await opened).transaction("scans", mode, { durability: "strict" });
    const request = change(transaction.objectStore("scans"));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  }

  const stored = () => inStore("readonly", (scans) => scans.getAll());
  const store = (scan) => inStore("readwrite", (scans) => scans.put(scan));
  const forget = (scan) => inStore("readwrite", (scans) => scans.delete(scan.order));

  const isMine = (scan) => scan.operator === asked.operator;
  const isWaiting = (scan) => isMine(scan) && !scan.state;

  // --- what is shown -------------------------------------------------------------------------------------------------

  const recent = [];
  let shown = null; // the scan in the large panel
  let audio = null;
  let { missing } = asked;
  let isAway = !token; // the last request had no answer, or this is a shell

  function make(tag, className, text) {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = text ?? "";
    return element;
  }

  function button(text, press) {
    const element = make("button", "", text);
    element.type = "button";
    element.addEventListener("click", press);
    return element;
  }

  function beep(outcome) {
    audio ??= new AudioContext();
    (TONES[outcome] ?? [330, 330]).forEach((pitch, place) => {
      const tone = audio.createOscillator();
      tone.type = outcome === "held" ? "square" : "sine";
      tone.frequency.value = pitch;
      tone.connect(audio.destination);
      tone.start(audio.currentTime + place * 0.15);
      tone.stop(audio.currentTime + place * 0.15 + 0.12);
    });
  }

  function look(scan) {
    return scan.hold ? "held" : (scan.outcome ?? "unchecked");
  }

  function said(scan) {
    const why = scan.hold && words[`hold_${scan.hold}`];
    const what = scan.hold && scan.outcome && words[scan.outcome];
    return [why, what, scan.mawb, scan.message].filter(Boolean).join(" · ");
  }

  function showScan(scan) {
    shown = scan;
    const panel = part("result");
    panel.dataset.outcome = look(scan);
    panel.replaceChildren(
      make("strong", "receive-word", words[look(scan)]),
      make("span", "receive-code", scan.code),
      make("span", "receive-said", said(scan)),
    );
  }

  function showRecent() {
    part("recent").replaceChildren(
      ...recent.map((scan) => {
        const line = make("li", "");
        line.dataset.outcome = look(scan);
        line.append(make("code", "", scan.code), make("span", "", words[look(scan)]));
        return line;
      }),
    );
  }

  function heldLine(scan) {
    const line = make("li", "");
    line.dataset.outcome = look(scan);
    const text = make("div", "");
    text.append(make("strong", "", words[line.dataset.outcome]), make("code", "", scan.code), make("span", "", said(scan)));
    const done = scan.outcome === "bag" ? button(root.dataset.open, () => openBag(scan)) : button(root.dataset.confirm, () => confirm([scan]));
    line.append(text, done);
    return line;
  }

  async function confirm(scans) {
    for (const scan of scans) await forget(scan);
    await showStored();
  }

  async function showStored() {
    const scans = await stored();
    const held = scans.filter((scan) => isMine(scan) && scan.state);
    const confirmable = held.filter((scan) => scan.outcome !== "bag");
    part("held").hidden = held.length === 0;
    part("held-count").textContent = held.length;
    part("held-list").replaceChildren(...held.slice(0, SHOWN_HELD).map(heldLine));
    part("held-all").hidden = confirmable.length < 2;
    part("held-all").onclick = () => confirm(confirmable);
    part("waiting").textContent = scans.filter(isWaiting).length;
    showTheirs(scans.filter((scan) => !isMine(scan)));
    showOthers(scans.filter((scan) => isWaiting(scan) && scan.batch !== asked.batch));
  }

  function showTheirs(scans) {
    const counts = new Map();
    for (const { name } of scans) counts.set(name, (counts.get(name) ?? 0) + 1);
    const lines = [...counts].map(([name, count]) => `${name} (${count})`);
    part("theirs").hidden = scans.length === 0;
    part("theirs").textContent = `${words.theirs} ${lines.join(", ")}`;
  }

  // Of a batch that was closed meanwhile: they may be taken into this one.
  function showOthers(scans) {
    const closed = scans.filter((scan) => refusing.has(scan.batch));
    part("others").hidden = closed.length === 0 || !asked.is_open;
    part("others-count").textContent = `${words.other_batch} ${closed.length}`;
    part("others-take").onclick = async () => {
      for (const scan of closed) await store({ ...scan, batch: asked.batch });
      await showStored();
      void sendAll();
    };
  }

  function showMissing(count) {
    missing = count;
    part("missing").textContent = count.toLocaleString(document.documentElement.lang);
  }

  function notice(name, link) {
    const place = part("notice");
    place.hidden = !name;
    place.replaceChildren(make("span", "", name ? words[name] : ""));
    if (link) {
      const way = make("a", "", link.text);
      way.href = link.address;
      place.append(way);
    }
  }

  // --- sending -------------------------------------------------------------------------------------------------------

  class Unanswered extends Error {}
  class Stopped extends Error {} // its message is the word for it

  // Resolves to the status and the whole text of an answer.
  async function ask(address, options) {
    try {
      // A redirect is to the login.
      const answer = await fetch(address, { ...options, redirect: "manual", signal: AbortSignal.timeout(PATIENCE_MS) });
      if (answer.type === "opaqueredirect") throw new Stopped("logged_out");
      if (answer.status === 429 || answer.status >= 500) throw new Unanswered();
      return [answer.status, await answer.text()];
    } catch (error) {
      throw error instanceof Stopped ? error : new Unanswered();
    }
  }

  async function post(address, body) {
    if (!token) await freshen();
    const headers = { "Content-Type": "application/json", "X-CSRFToken": token };
    const [status, text] = await ask(address, { method: "POST", headers, body: JSON.stringify(body) });
    try {
      return { status, ...JSON.parse(text) };
    } catch {
      throw new Unanswered();
    }
  }

  // Makes of a shell the page that it is the shell of.
  async function freshen() {
    const [, text] = await ask(asked.page);
    const page = new DOMParser().parseFromString(text, "text/html").querySelector("#receive");
    const fresh = page && JSON.parse(page.dataset.asked);
    if (fresh?.operator !== asked.operator) throw new Stopped("not_allowed");
    asked = { ...fresh, is_open: true }; // closed meanwhile: the answer to the next scan says so, and the scan is kept
    token = tokenOf(page);
    isAway = false;
    notice("");
    showMissing(asked.missing);
  }

  const refusing = new Set(); // batches that take no scan any more
  let isSending = false;
  let atOnce = MOST_AT_ONCE;
  let pause = 0;
  let retry = null;

  async function sendAll() {
    if (isSending) return;
    isSending = true;
    clearTimeout(retry);
    try {
      if (!token) await freshen();
      while (await sendSome());
    } catch (error) {
      isAway = true;
      const why = error instanceof Stopped ? error.message : "no_network";
      notice(why, why === "logged_out" && logIn());
      pause = Math.min((pause || 1000) * 2, PATIENCE_MS);
      if (why === "no_network") retry = setTimeout(sendAll, pause);
    } finally {
      isSending = false;
      await showStored();
    }
  }

  const logIn = () => ({ text: root.dataset.login, address: location.href });

  // Sends the first scans that wait, of one batch. Returns whether more may follow.
  async function sendSome() {
    const waiting = (await stored()).filter((scan) => isWaiting(scan) && !refusing.has(scan.batch));
    if (waiting.length === 0) return false;
    const { batch } = waiting[0];
    const some = waiting.filter((scan) => scan.batch === batch).slice(0, atOnce);
    const scans = some.map(({ scan_id, code, scanned_at }) => ({ scan_id, code, scanned_at }));
    const answer = await post(asked.scans.replace("BATCH", batch), { scans });
    pause = 0;
    isAway = false;
    notice("");
    if (answer.status === 200) {
      if (batch === asked.batch) showMissing(answer.missing);
      const results = new Map(answer.results.map((result) => [result.scan_id, result]));
      for (const scan of some) await settle(scan, results.get(scan.scan_id));
      atOnce = MOST_AT_ONCE;
    } else if (answer.status === 400 && some.length > 1) {
      atOnce = 1; // one of them is refused: the others must not wait for it
    } else if (answer.status === 400) {
      await settle(some[0], { outcome: "refused", message: Object.values(answer.details ?? {}).flat().join(" ") || answer.message });
    } else {
      refusing.add(batch);
      const isGone = answer.status === 404 || answer.status === 409;
      if (batch === asked.batch) notice(isGone ? "closed" : "not_allowed", isGone && { text: root.dataset.again, address: root.dataset.againAddress });
    }
    await showStored();
    return true;
  }

  // Shows what a scan was. It leaves the store unless somebody has to look at it.
  async function settle(scan, result) {
    const outcome = result.first_outcome ?? result.outcome;
    const { hold = null, mawb = "", message = "" } = result;
    const judged = { ...scan, outcome, hold, mawb: outcome === "elsewhere" ? mawb : "", message: outcome === "refused" ? message : "" };
    const isBag = outcome === "bag";
    if (hold || isBag || outcome === "refused") await store({ ...scan, state: hold ?? outcome, hold, outcome });
    else await forget(scan);
    const place = recent.findIndex((each) => each.scan_id === scan.scan_id);
    if (place >= 0) recent[place] = judged;
    if (shown?.scan_id === scan.scan_id) {
      showScan(judged);
      beep(look(judged));
      if (isBag) await openBag(scan);
    } else if (hold) beep("held");
    showRecent();
  }

  async function take(text) {
    const code = text.replace(/\p{C}/gu, "").trim().slice(0, LONGEST_CODE);
    if (!code) return;
    const scan = {
      scan_id: crypto.randomUUID(), code, scanned_at: new Date().toISOString(),
      batch: asked.batch, operator: asked.operator, name: asked.name ?? "–",
    };
    try {
      scan.order = await store(scan);
    } catch {
      showScan({ ...scan, outcome: "refused", message: words.not_kept });
      beep("held");
      return;
    }
    part("bag").hidden = true; // its counts are of before; it stays among what is to be confirmed
    recent.unshift(scan);
    recent.length = Math.min(recent.length, SHOWN_SCANS);
    showScan(scan);
    showRecent();
    if (isAway) beep("unchecked");
    await showStored();
    void sendAll();
  }

  // --- bags ----------------------------------------------------------------------------------------------------------

  async function askForBag(scan, isDry) {
    try {
      const answer = await post(asked.bags.replace("BATCH", scan.batch), { bag: scan.code, dry_run: isDry });
      if (answer.status === 200) return answer;
      const sentence = Object.values(answer.details ?? {}).flat().join(" ") || answer.message;
      showScan({ ...scan, outcome: answer.error === "validation_failed" ? "elsewhere" : "refused", message: sentence });
      beep("elsewhere");
      await forget(scan);
    } catch {
      showScan({ ...scan, outcome: "bag", message: words.try_again });
    }
    await showStored();
    return null;
  }

  async function openBag(scan) {
    const bag = await askForBag(scan, true);
    if (!bag) return;
    part("bag").hidden = false;
    part("bag-name").textContent = `${words.bag} ${scan.code}`;
    part("bag-counts").textContent = `${bag.parcels.length} · ${words.missing}: ${bag.missing.length}`;
    part("bag-parcels").replaceChildren(
      ...bag.parcels.map((parcel) => {
        const line = make("li", "");
        line.dataset.outcome = parcel.hold ? "held" : parcel.is_received ? "matched" : "unchecked";
        const state = parcel.hold ? words[`hold_${parcel.hold}`] : parcel.is_received ? words.received : words.not_here;
        line.append(make("code", "", parcel.tracking_code), make("span", "", parcel.hawb), make("span", "", state));
        return line;
      }),
    );
    part("bag-all").disabled = bag.missing.length === 0;
    part("bag-all").onclick = () => receiveBag(scan, new Set(bag.missing.map((guide) => guide.tracking_code)));
    part("bag-leave").onclick = () => closeBag(scan);
    part("bag").scrollIntoView({ block: "nearest" });
  }

  async function receiveBag(scan, lacking) {
    part("bag-all").disabled = true;
    const bag = await askForBag(scan, false);
    part("bag-all").disabled = false;
    if (!bag) return;
    const scanned_at = new Date().toISOString();
    const { batch, operator, name } = scan;
    const held = bag.parcels.filter((each) => each.hold && lacking.has(each.tracking_code));
    for (const { tracking_code: code, hold } of held) {
      await store({ scan_id: crypto.randomUUID(), code, scanned_at, batch, operator, name, state: hold, hold, outcome: "matched" });
      beep("held");
    }
    showScan({ ...scan, outcome: "matched", hold: held[0]?.hold, message: `${words.bag_received} ${bag.received}` });
    showMissing(missing - bag.received);
    await closeBag(scan);
  }

  async function closeBag(scan) {
    part("bag").hidden = true;
    const isSame = ({ state, code, batch }) => state === "bag" && code === scan.code && batch === scan.batch;
    for (const each of await stored()) if (isMine(each) && isSame(each)) await forget(each); // it may be scanned twice
    await showStored();
  }

  // --- keys and camera -----------------------------------------------------------------------------------------------

  const field = part("code");

  function enter() {
    const text = field.value;
    field.value = "";
    void take(text);
  }

  // A scanner types wherever the page is. Fields take their own keys, and a button its Enter unless a code was begun.
  addEventListener(
    "keydown",
    (event) => {
      const isTyped = event.target.closest?.("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey;
      if (isTyped || !asked.is_open || event.isComposing) return;
      const isEnd = event.key === "Enter" && field.value;
      if (!isEnd && (event.key.length !== 1 || (event.key === " " && !field.value))) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (isEnd) enter();
      else field.value += event.key;
    },
    true,
  );
  part("form").addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    enter();
  });

  async function watch(video, detector) {
    const seen = new Map(); // code -> when it was last in sight
    while (video.srcObject) {
      const found = await detector.detect(video).catch(() => []);
      for (const { rawValue } of found) {
        if (Date.now() - (seen.get(rawValue) ?? 0) > 3000) void take(rawValue);
        seen.set(rawValue, Date.now());
      }
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  }

  async function turnCamera() {
    const video = part("video");
    if (video.srcObject) {
      for (const track of video.srcObject.getTracks()) track.stop();
      video.srcObject = null;
    } else {
      try {
        video.srcObject = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
        void watch(video, new BarcodeDetector());
      } catch {
        video.srcObject = null;
        notice("no_camera");
      }
    }
    video.hidden = !video.srcObject;
    part("camera").setAttribute("aria-pressed", String(Boolean(video.srcObject)));
  }

  part("camera").hidden = !("BarcodeDetector" in window) || !navigator.mediaDevices || !asked.is_open;
  part("camera").addEventListener("click", turnCamera);

  // --- begin ---------------------------------------------------------------------------------------------------------

  // Puts into the cache what the service worker gives without a network.
  async function keepPage({ worker, shell, addresses }) {
    if (!navigator.serviceWorker) return; // not over HTTPS
    await navigator.serviceWorker.register(worker);
    const answer = await fetch(shell, { redirect: "error" });
    if (!answer.ok) throw new Error(`The shell was answered ${answer.status}.`);
    const page = new DOMParser().parseFromString(await answer.clone().text(), "text/html");
    const files = [...page.querySelectorAll("link, script")].map((each) => each.getAttribute("href") ?? each.getAttribute("src"));
    const cache = await caches.open("receiving");
    await cache.addAll(files);
    for (const address of addresses) await cache.put(address, answer.clone());
  }

  addEventListener("online", () => {
    notice("");
    void sendAll();
  });
  addEventListener("offline", () => notice("no_network"));
  opened.then(showStored, () => notice("not_kept"));
  opened.then(sendAll, () => {});
  if (asked.keep) void keepPage(asked.keep);
})();
