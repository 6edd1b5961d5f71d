// biome-ignore-all lint/suspicious/noVar: browsers that this is for know nothing newer.
// biome-ignore-all lint/complexity/useOptionalChain: as above.
// biome-ignore-all lint/complexity/useArrowFunction: as above.
// biome-ignore-all lint/complexity/noUselessCatchBinding: as above.
// biome-ignore-all lint/style/useTemplate: as above.
// Runs before the page, in any browser however old: says which browsers open the page, where this one cannot. The words are in index.html.
// Where it can, it asks for what the page will need while the page's own script is still on its way: the settings first, then the files of
// the likely screen, and the token check where nothing stands before it. app/start/under-way.ts tells what it leaves in `longarmUnderWay`.
(function () {
  var can =
    "noModule" in document.createElement("script") &&
    typeof [].toSorted === "function" &&
    typeof Object.hasOwn === "function" &&
    typeof AbortSignal === "function" &&
    typeof AbortSignal.any === "function" &&
    typeof URL.parse === "function";
  var words = document.getElementById("unsupported");
  var root = document.getElementById("root");
  if (!can && root && words && words.content) root.parentNode.replaceChild(words.content, root);
  if (!can) return;

  var underWay = { arrivedWith: takeToken() };
  window.longarmUnderWay = underWay;
  underWay.settings = fetch("/Settings.json", {
    cache: "no-cache",
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(4000),
  });
  // Whoever waits for it hears of a failure.
  underWay.settings.catch(function () {});
  underWay.token = underWay.arrivedWith || kept("jwt_access_token");
  underWay.language = kept("longarm.language");
  underWay.isLocked = kept("longarm.lock") !== null;

  // A token is taken out of the address before anything is asked for; as app/start/token-in-address.ts does it.
  function takeToken() {
    var query = location.search.slice(1).split("&");
    var others = query.filter(function (part) {
      return !new URLSearchParams(part).has("token");
    });
    var token = new URLSearchParams(location.search).get("token") || null;
    var rest = others.length === 0 ? "" : "?" + others.join("&");
    if (others.length < query.length) {
      history.replaceState(history.state, "", location.pathname + rest + location.hash);
    }
    return token;
  }

  function kept(key) {
    try {
      return localStorage.getItem(key);
    } catch (_) {
      return null;
    }
  }
})();

// The files of the likely screen, as app/start/fetch-ahead.ts loads them: it finds them there. The build writes their names.
(function () {
  var underWay = window.longarmUnderWay;
  var parts = /* parts */ {};
  if (!underWay) return;
  underWay.fetchFonts = function () {
    fetchFiles("fonts");
  };
  underWay.fetchPicture = fetchPicture;
  var path = location.pathname;
  if (path !== "/" && path !== "/login" && path.indexOf("/lobby") !== 0) return;
  underWay.isLobby = underWay.token !== null;
  var screen = underWay.isLobby ? "lobby" : "login";
  var language = parts["texts-" + underWay.language] ? underWay.language : "tr";
  fetchFiles("texts-" + language);
  fetchFiles(screen + "-" + language);
  fetchFiles(screen);
  if (underWay.isLocked) fetchFiles("watch");
  else if (underWay.isLobby) underWay.settings.then(fetchWatch).catch(nothing);

  // Where a screen may be locked, the lock is drawn before the lobby.
  function fetchWatch(response) {
    return response
      .clone()
      .json()
      .then(function (settings) {
        if (settings.pinCheck === true) fetchFiles("watch");
      });
  }

  function nothing() {}

  // After scripts and lists: without them it is not drawn.
  function fetchPicture(href) {
    var link = document.createElement("link");
    link.rel = "preload";
    link.as = "image";
    link.fetchPriority = "low";
    link.href = href;
    document.head.appendChild(link);
  }

  function fetchFiles(name) {
    (parts[name] || []).forEach(function (file) {
      if (/\.webp$/.test(file)) {
        fetchPicture(file);
        return;
      }
      var link = document.createElement("link");
      link.rel = /\.js$/.test(file) ? "modulepreload" : "preload";
      if (/\.css$/.test(file)) link.as = "style";
      if (/\.woff2$/.test(file)) {
        link.as = "font";
        link.fetchPriority = "low";
      }
      link.crossOrigin = "";
      link.href = file;
      document.head.appendChild(link);
    });
  }
})();

// The token check, as checkAhead of app/start/start.ts would ask it, which takes this answer where it would ask the same.
(function () {
  var underWay = window.longarmUnderWay;
  if (!underWay || underWay.token === null || underWay.isLocked) return;
  underWay.check = underWay.settings.then(check);
  underWay.check.catch(nothing);

  function check(response) {
    return response
      .clone()
      .json()
      .then(function (settings) {
        if (!response.ok || settings.ipCheck === true || settings.pinCheck === true) return undefined;
        if (!isGood(underWay.token, Date.parse(response.headers.get("date")))) return undefined;
        var api = typeof settings.apiUrl === "string" ? settings.apiUrl : "/v1/";
        var base = new URL(api.replace(/\/?$/, "/"), location.href);
        var asked = ask(base, "validate", underWay.token);
        asked.ask = ask.bind(null, base);
        asked.lists = settings.showLobby === false ? ["machine/all"] : ["machine/all", "machine/brands"];
        // A list that is never asked for again must not be older than the page.
        if (settings.updateLobby === 0) asked.lists = [];
        return asked;
      });
  }

  function ask(base, path, token) {
    var href = new URL(path, base).href;
    var answer = fetch(href, {
      cache: "no-store",
      headers: { accept: "application/json", authorization: "Bearer " + token },
      signal: AbortSignal.timeout(15000),
    });
    var askedAt = performance.now();
    var age = function () {
      return performance.now() - askedAt;
    };
    answer.catch(nothing);
    return { href: href, base: base, token: token, answer: answer, age: age };
  }

  // Whether it can stand in a header, and is not over. The page reads others in its own way.
  function isGood(token, nowMs) {
    if (!/^[\x21-\x7e]{1,8000}$/.test(token)) return false;
    var claims = JSON.parse(atob(token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/")));
    return claims.exp * 1000 > nowMs;
  }

  function nothing() {}
})();

// Where the platform knows the token, the lobby's lists, the balance and the first pictures: app/start/under-way.ts says when the page
// takes them.
(function () {
  var underWay = window.longarmUnderWay;
  // The first row of cards of a phone, or of a desk; what is below comes when it is drawn.
  var pictures = innerWidth < 700 ? 2 : 6;
  if (!underWay || !underWay.check || !underWay.isLobby) return;
  underWay.lists = underWay.check.then(function (asked) {
    return asked ? asked.answer.then(lists.bind(null, asked)) : [];
  });
  underWay.lists.catch(nothing);

  function lists(asked, response) {
    return response
      .clone()
      .json()
      .then(function (player) {
        if (!response.ok || player.status === false || player.ErrorMessage || player.locked === true) return [];
        var token = player.token || asked.token;
        var all = asked.lists.concat("player/balance").map(function (path) {
          return asked.ask(path, token);
        });
        if (all.length > 1) all[0].answer.then(fetchPictures.bind(null, asked.base)).catch(nothing);
        return all;
      });
  }

  function fetchPictures(base, response) {
    // Another brand's machines, or filtered ones, are in no order that is known here.
    if (!response.ok || location.search !== "" || location.pathname.split("/").length > 2) return undefined;
    return response
      .clone()
      .json()
      .then(function (list) {
        (list.machines || list).slice(0, pictures).forEach(function (machine) {
          if (machine.image) underWay.fetchPicture(new URL(machine.image, base).href);
        });
      });
  }

  function nothing() {}
})();
