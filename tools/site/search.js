// The search of the manual: "/" goes to the field, arrows select, Enter opens, Escape closes. search_index.js, which
// tools/site/search.lua writes, is loaded when the field is first used.
(function () {
  "use strict";
  var SHOWN = 30;
  var form = document.getElementById("search");
  var field = form.querySelector("input");
  var list = document.getElementById("results");
  var note = document.getElementById("search-note");
  var index = null, requested = false, selected = -1;

  function words(text) {
    return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];
  }

  function posting(text) {
    var last = 0;
    return text.split(" ").map(function (step) { return (last += Number(step)); });
  }

  function load() {
    if (requested) return;
    requested = true;
    var script = document.createElement("script");
    script.src = "search_index.js";
    document.head.appendChild(script);
  }

  // Called by search_index.js.
  window.rill_index = function (data) {
    index = data;
    index.sorted = Object.keys(data.words);
    index.stems = index.sorted.map(stem);
    index.labels = data.parts.map(function (part) { return words(part[2]); });
    index.summaries = data.names.map(function (name) { return words(name[3]); });
    index.phrases = data.topics.map(function (topic) { return topic[0].split(" "); });
    if (document.activeElement === field) update();
  };

  // As topics.stem of lua/rill/shell/topics.lua: what words have in common that differ in their ending or spelling.
  function stem(word) {
    index.spellings.some(function (pair) {
      var found = word.startsWith(pair[0]);
      if (found) word = pair[1] + word.slice(pair[0].length);
      return found;
    });
    index.endings.some(function (pair) {
      var rest = word.length - pair[0].length, found = rest >= 3 && word.endsWith(pair[0]);
      if (found) word = word.slice(0, rest) + pair[1];
      return found;
    });
    return word;
  }

  // Returns the share of the stems in `a` that are in `b`, or with which a stem in `b` begins.
  function share(a, b) {
    var found = 0;
    a.forEach(function (word) {
      if (b.includes(word)) found += 1;
      else if (word.length > 2 && b.some(function (other) { return other.startsWith(word); })) found += 0.5;
    });
    return a.length ? found / a.length : 0;
  }

  // Returns the points of names and pages, {names: Map, pages: Map}, to which topics lead.
  function topic_points(stems) {
    var points = {names: new Map(), pages: new Map()};
    index.topics.forEach(function (topic, at) {
      var phrase = index.phrases[at], forward = share(stems, phrase), backward = share(phrase, stems);
      var value = backward === 1 ? topic[3] - (forward < 1 ? 25 : 0) : forward === 1 ? 50 * backward + 20 : 0;
      var map = topic[1] >= 0 ? points.names : points.pages, key = topic[1] >= 0 ? topic[1] : topic[2];
      if (value) map.set(key, Math.max(map.get(key) || 0, value));
    });
    return points;
  }

  // Returns how well a term matches a list of words: `whole` for an equal word, `part` for the beginning of a word, or 0.
  function match(list, term, whole, part) {
    var best = 0;
    for (var i = 0; i < list.length; i++) {
      if (list[i] === term) return whole;
      if (term.length > 1 && list[i].startsWith(term)) best = part;
    }
    return best;
  }

  // Returns the points of the parts whose text contains a word that begins with the term, or has its stem.
  function text_points(term) {
    var points = new Map(), short = stem(term);
    if (term.length < 2) return points;
    index.sorted.forEach(function (word, at) {
      if (!word.startsWith(term) && index.stems[at] !== short) return;
      posting(index.words[word]).forEach(function (part) {
        points.set(part, Math.max(points.get(part) || 0, word === term ? 20 : 10));
      });
    });
    return points;
  }

  // The last word of a name counts most: "gaussian" finds rill.image.gaussian.
  function name_points(entry, at, term) {
    var pieces = words(entry[2]), last = pieces[pieces.length - 1] || "";
    if (last === term) return /:/.test(entry[2]) && !entry[2].startsWith("s:") ? 88 : 90; // s:sort before c:sort and D:sort
    if (last.startsWith(term)) return term.length > 1 ? 72 : 0;
    return Math.max(match(pieces, term, 40, 30), last.split("_").includes(term) ? 60 : 0, term.length > 2 && last.includes(term) ? 35 : 0,
      match(index.summaries[at], term, 25, 12));
  }

  // Returns the mean of the points of all terms, or 0 if a term does not occur.
  function mean(terms, points) {
    var sum = 0;
    for (var i = 0; i < terms.length; i++) {
      var value = points(terms[i], i);
      if (!value) return 0;
      sum += value;
    }
    return sum / terms.length;
  }

  // Returns the results, best first: names, titles, headings, then text. Entries with equal points keep the order of the index.
  function search(query) {
    var all = words(query), whole = query.trim().toLowerCase(), found = [];
    var terms = all.filter(function (term) { return !index.ignored.includes(term); });
    if (!terms.length) terms = all;
    if (!terms.length) return found;
    var texts = terms.map(text_points), stems = terms.map(stem), topics = topic_points(stems);
    index.names.forEach(function (entry, at) {
      var points = entry[2].toLowerCase() === whole ? 110 : mean(terms, function (term, i) {
        return Math.max(name_points(entry, at, term), name_points(entry, at, stems[i]) * 0.9);
      });
      points = Math.max(points, topics.names.get(at) || 0);
      if (points) found.push({ points: points, page: entry[0], anchor: entry[1], label: entry[2], code: true, more: entry[3] });
    });
    index.parts.forEach(function (part, at) {
      var title = part[1] === "", label = index.labels[at], page = index.pages[part[0]];
      var points = part[2].toLowerCase() === whole ? (title ? 105 : 95) : mean(terms, function (term, i) {
        return Math.max(match(label, term, title ? 80 : 65, title ? 70 : 55), texts[i].get(at) || 0);
      });
      if (title) points = Math.max(points, topics.pages.get(part[0]) || 0);
      if (points) found.push({ points: points, page: part[0], anchor: part[1], label: part[2], more: title ? page[2] : page[0] });
    });
    // A section that is the description of a name in the results is not listed again.
    var named = new Set();
    found.forEach(function (result) { if (result.code) named.add(result.page + "#" + result.anchor); });
    found = found.filter(function (result) { return result.code || !named.has(result.page + "#" + result.anchor); });
    return found.sort(function (a, b) { return b.points - a.points; }).slice(0, SHOWN);
  }

  function element(tag, text, name) {
    var made = document.createElement(tag);
    made.textContent = text;
    if (name) made.className = name;
    return made;
  }

  function select(at) {
    var items = list.children;
    if (items[selected]) items[selected].removeAttribute("aria-selected");
    selected = items.length ? (at + items.length) % items.length : -1;
    if (selected < 0) return field.removeAttribute("aria-activedescendant");
    items[selected].setAttribute("aria-selected", "true");
    items[selected].scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", items[selected].id);
  }

  function close() {
    list.hidden = note.hidden = true;
    list.textContent = note.textContent = "";
    field.setAttribute("aria-expanded", "false");
    select(-1);
  }

  function update() {
    close();
    if (!index || !field.value.trim()) return;
    search(field.value).forEach(function (result, at) {
      var item = element("a", "", "result");
      item.id = "result-" + at;
      item.href = index.pages[result.page][1] + (result.anchor && "#" + result.anchor);
      item.tabIndex = -1;
      item.setAttribute("role", "option");
      item.appendChild(element(result.code ? "code" : "span", result.label));
      if (result.more) item.appendChild(element("small", result.more));
      list.appendChild(item);
    });
    var empty = !list.children.length;
    list.hidden = empty;
    note.hidden = !empty;
    note.textContent = empty ? "No results" : "";
    field.setAttribute("aria-expanded", String(!empty));
    select(0);
  }

  form.hidden = false;
  field.addEventListener("focus", load);
  field.addEventListener("input", update);
  field.addEventListener("focus", update);
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  list.addEventListener("click", function (event) {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) { close(); field.blur(); }
  });
  field.addEventListener("keydown", function (event) {
    if (event.isComposing) return;
    var items = list.children;
    if (event.key === "Tab") return close();
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      select(selected + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter") {
      if (items[selected]) items[selected].click();
    } else if (event.key === "Escape") {
      if (list.hidden && note.hidden) field.value = "";
      close();
      field.blur();
    } else {
      return;
    }
    event.preventDefault();
  });
  document.addEventListener("keydown", function (event) {
    var target = event.target;
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
  document.addEventListener("click", function (event) {
    if (!form.contains(event.target)) close();
  });
})();
