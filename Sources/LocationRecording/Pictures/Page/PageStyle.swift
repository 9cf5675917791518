/// The style sheet of a page, including that of its pictures.
enum PageStyle {
  /// The SHA-256 of the text in Base64. A test verifies it.
  static let hash = "cn2/lDUci43QMi7LKcYYXHaPEYl4fUY+VbkXNULu+lc="

  static let text =
    PictureStyle.text + """

      :root{color-scheme:light dark;--ink:#1f2328;--soft:#59636e;--rule:#d5dbe1;--mark:#c2185b}
      @media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b1;--rule:#2b323b;\
      --mark:#ff7eb6}}
      body{margin:0;background:#fff;color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",\
      Roboto,"Helvetica Neue",sans-serif}
      @media (prefers-color-scheme:dark){body{background:#0d1117}}
      main{max-width:880px;margin:0 auto;padding:24px 16px 48px}
      h1{margin:0;font-size:28px;line-height:1.2;overflow-wrap:anywhere}
      .summary{margin:4px 0 20px;color:var(--soft)}
      figure{margin:0}svg{display:block;width:100%;height:auto}
      .legend{margin-top:8px}
      #readout{position:sticky;top:0;z-index:1;display:block;box-sizing:border-box;min-height:56px;\
      margin:8px 0;padding:8px 0;background:inherit;border-bottom:1px solid var(--rule);\
      font-variant-numeric:tabular-nums}
      #profiles{cursor:crosshair;touch-action:pan-y;border-radius:6px}
      #profiles:focus-visible{outline:3px solid var(--mark);outline-offset:6px}
      #profiles svg+svg{margin-top:12px}
      h2{margin:36px 0 8px;font-size:20px}
      .scroll{overflow-x:auto}
      table{border-collapse:collapse;font-variant-numeric:tabular-nums}
      th,td{padding:6px 20px 6px 0;border-bottom:1px solid var(--rule);text-align:left;\
      font-weight:400;white-space:nowrap}
      thead th,tbody th{color:var(--soft)}
      """
}
