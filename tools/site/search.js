// The search of the manual: "/" goes to the field, arrows select, Enter opens, Escape closes. search_index.js, which
// tools/site/search.lua writes, is loaded when the field is first used.
(function () {
  "use strict";
  var SHOWN = 30, SHARE = 0.35;
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
    index.pieces = data.names.map(function (name) { return words(name[2]); });
    index.last = index.pieces.map(function (pieces) { return (pieces[pieces.length - 1] || "").replace(/_/g, ""); });
    index.methods = data.names.map(function (name) { return /:/.test(name[2]) && !name[2].startsWith("s:"); });
    index.summaries = data.names.map(function (name) { return words(name[3]); });
    index.phrases = data.topics.map(function (topic) { return topic[0].split(" "); });
    index.weights = weights();
    index.variants = new Set();
    var listed = new Set(data.names.map(function (name) { return name[2]; }));
    data.names.forEach(function (name, at) { // D:sort has fewer points, because there is s:sort.
      if (/^[bcD]:/.test(name[2]) && listed.has("s" + name[2].slice(1))) index.variants.add(at);
    });
    if (document.activeElement === field) update();
  };

  // As topics.stem of lua/rill/shell/topics.lua: what words have in common that differ in their ending or spelling, or
  // have the same meaning.
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
    word = word.replace(/([bdgmnprt])\1$/, "$1");
    return index.same.hasOwnProperty(word) ? index.same[word] : word;
  }

  // Returns the weights of the stems in names, summaries and phrases, a Map: a word counts more if it is rare.
  function weights() {
    var counts = new Map(), all = index.names.length + index.topics.length + 1;
    function count(stems) {
      new Set(stems).forEach(function (word) { counts.set(word, (counts.get(word) || 0) + 1); });
    }
    index.names.forEach(function (name, at) {
      count(words(name[2].replace(/_/g, " ")).concat(index.summaries[at]).map(stem));
    });
    index.phrases.forEach(count);
    counts.forEach(function (n, word) { counts.set(word, Math.log(all / n)); });
    index.most = Math.log(all);
    return counts;
  }

  // Returns how well a word of a search matches the stems of a phrase: 1 if one is equal, 0.5 if one begins with it.
  function best_match(word, stems) {
    return stems.includes(word) ? 1 : word.length > 2 && stems.some(function (other) { return other.startsWith(word); }) ? 0.5 : 0;
  }

  // Returns the points of names and pages, {names: Map, pages: Map}, to which topics lead: a list, one for each stem.
  function topic_points(stems) {
    var points = {names: new Map(), pages: new Map()}, joined = stems.join("");
    function set(map, key, values) {
      var last = map.get(key) || [];
      map.set(key, values.map(function (value, i) { return Math.max(last[i] || 0, value); }));
    }
    index.topics.forEach(function (topic, at) {
      var covered = 0, whole = 0, phrase = index.phrases[at];
      var matches = stems.map(function (word) { return best_match(word, phrase); });
      var map = topic[1] >= 0 ? points.names : points.pages, key = topic[1] >= 0 ? topic[1] : topic[2];
      if (phrase.join("") === joined) { // "kd tree" is "kdtree"
        return set(map, key, stems.map(function () { return topic[3]; }));
      }
      if (!matches.some(Boolean)) return;
      phrase.forEach(function (word) {
        var weight = index.weights.get(word);
        covered += weight * Math.max.apply(null, stems.map(function (term) { return best_match(term, [word]); }));
        whole += weight;
      });
      set(map, key, matches.map(function (value) { return value * topic[3] * (0.25 + 0.75 * covered / whole); }));
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

  // The last word of a name counts most: "gaussian" finds rill.image.gaussian, "kronecker" finds rill.kron.
  function name_points(at, term) {
    var pieces = index.pieces[at], last = pieces[pieces.length - 1] || "";
    if (last === term) return index.methods[at] ? 88 : 90; // s:sort before frame:sort
    if (last.startsWith(term)) return term.length > 1 ? 72 : 0;
    return Math.max(match(pieces, term, 40, 30), last.split("_").includes(term) ? 60 : 0, term.length > 2 && last.includes(term) ? 35 : 0,
      last.length > 3 && term.startsWith(last) ? 45 : 0,
      match(index.summaries[at], term, 25, 12));
  }

  // Returns the results, best first: names, titles, headings, then text. Entries with equal points keep the order of the
  // index. The points of a result are the mean of the points of the terms; rare terms have a larger weight. The terms that
  // occur in a result must have at least SHARE of the weight of all terms. Terms that occur nowhere are ignored.
  function search(query) {
    var all = words(query), whole = query.trim().toLowerCase(), joined = all.join("").replace(/_/g, ""), found = [];
    var terms = all.filter(function (term) { return !index.ignored.includes(term); });
    if (!terms.length) terms = all;
    var texts = terms.map(text_points), stems = terms.map(stem), topics = topic_points(stems), total = 0;
    var known = terms.map(function (term, i) {
      if (index.weights.has(stems[i])) return index.weights.get(stems[i]);
      return texts[i].size || index.sorted.some(function (word) { return word.startsWith(term); }) ? index.most : 0;
    });
    if (!known.some(Boolean) && topics.names.size + topics.pages.size) known = [index.most]; // "kmeans" is "k means"
    known.forEach(function (weight) { total += weight; });
    if (!total) return found;
    function mean(points) {
      var sum = 0, covered = 0;
      terms.forEach(function (term, i) {
        var value = known[i] && points(term, i);
        sum += value * known[i];
        covered += value ? known[i] : 0;
      });
      return covered >= SHARE * total ? sum / total : 0;
    }
    index.names.forEach(function (entry, at) {
      var topic = topics.names.get(at) || [];
      var points = entry[2].toLowerCase() === whole ? 110 : mean(function (term, i) {
        return Math.max(name_points(at, term), name_points(at, stems[i]) * 0.9, topic[i] || 0);
      });
      if (all.length > 1 && index.last[at] === joined) points = Math.max(points, 100);
      if (index.variants.has(at)) points *= 0.8;
      if (points) found.push({ points: points, page: entry[0], anchor: entry[1], label: entry[2], code: true, more: entry[3] });
    });
    index.parts.forEach(function (part, at) {
      var title = part[1] === "", label = index.labels[at], page = index.pages[part[0]];
      var topic = title && topics.pages.get(part[0]) || [];
      var points = part[2].toLowerCase() === whole ? (title ? 105 : 95) : mean(function (term, i) {
        var label_points = Math.max(match(label, term, 1, 0.85), stems[i].length > 2 ? match(label, stems[i], 0.8, 0.8) : 0);
        return Math.max(label_points * (title ? 80 : 65), texts[i].get(at) || 0, topic[i] || 0);
      });
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
