/// The script that moves the cursor of a page. The page is complete without it.
///
/// `#samples` has a row for each position of the cursor: x in the profiles, x and y on the map, and
/// the description. A fragment such as `#cursor=40` opens the page with the cursor at a row.
enum PageScript {
  /// The SHA-256 of the text in Base64. A test verifies it.
  static let hash = "m+EZIFCQRvaQEB3Ndi4/tU3lYoHB8OZXH7CN/NYRcJs="

  static let text = """
    (() => {
      const rows = JSON.parse(document.getElementById('samples').textContent);
      const slider = document.getElementById('profiles');
      const readout = document.getElementById('readout');
      const mark = document.getElementById('cursor');
      const lines = document.querySelectorAll('.cursor-line');
      const map = document.getElementById('map');
      let current = 0;

      function show(index) {
        current = Math.max(0, Math.min(rows.length - 1, index));
        const [x, mapX, mapY, words] = rows[current];
        for (const line of lines) {
          line.setAttribute('transform', `translate(${x} 0)`);
          line.setAttribute('visibility', 'visible');
        }
        mark.setAttribute('cx', mapX);
        mark.setAttribute('cy', mapY);
        mark.setAttribute('visibility', 'visible');
        slider.setAttribute('aria-valuenow', current);
        slider.setAttribute('aria-valuetext', words);
        readout.textContent = words;
      }

      function nearest(distance) {
        let best = 0;
        for (let index = 1; index < rows.length; index += 1) {
          if (distance(rows[index]) < distance(rows[best])) best = index;
        }
        return best;
      }

      function place(event, element) {
        const box = element.getBoundingClientRect();
        const scale = WIDTH / box.width;
        return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
      }

      for (const type of ['pointermove', 'pointerdown']) {
        slider.addEventListener(type, (event) => {
          const [x] = place(event, slider.querySelector('svg'));
          show(nearest((row) => Math.abs(row[0] - x)));
        });
        map.addEventListener(type, (event) => {
          const [x, y] = place(event, map);
          show(nearest((row) => (row[1] - x) ** 2 + (row[2] - y) ** 2));
        });
      }

      const keys = {
        ArrowLeft: () => current - 1,
        ArrowDown: () => current - 1,
        ArrowRight: () => current + 1,
        ArrowUp: () => current + 1,
        PageDown: () => current - 20,
        PageUp: () => current + 20,
        Home: () => 0,
        End: () => rows.length - 1,
      };
      slider.addEventListener('keydown', (event) => {
        if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        show(keys[event.key]());
      });

      const row = /^#cursor=([0-9]+)$/.exec(location.hash);
      if (row) show(Number(row[1]));
    })();
    """.replacing("WIDTH", with: String(Int(TrackContent.width)))
}
