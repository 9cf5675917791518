/// The style sheet of pictures, for light and dark screens. Small screens have larger text.
///
/// The colors of values are those of viridis on a light background, and a brighter sequence of the
/// same hues on a dark background. Both sequences grow lighter from the least to the greatest
/// value, so that the colors can be distinguished without hues.
enum PictureStyle {
  /// The size in pixels of text in a picture that is less than 600 pixels wide.
  static let smallScreenTextSize = 24.0

  /// The colors of values on a light background.
  static let light = [
    "#440154", "#443983", "#31688e", "#21918c", "#35b779", "#90d743", "#fde725",
  ]
  /// The colors of values on a dark background.
  static let dark = [
    "#8a63b8", "#6f7fc8", "#4f9fc4", "#3fb8a8", "#62cf7f", "#a9e04f", "#fde725",
  ]

  /// The styles of text, ground and grid, which pictures of the sky share.
  static let common = """
    text{font:13px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;\
    fill:#1f2328}
    svg{max-width:100%;height:auto}.back{fill:#fff}.title{font-size:22px;font-weight:600}.subtitle{fill:#59636e}
    .caption{font-weight:600}.axis{fill:#59636e}
    .ground{fill:#f3f5f7}.grid{fill:none;stroke:#d5dbe1;stroke-width:1}
    .tick{stroke:#8c959f}
    .label{fill:#59636e;paint-order:stroke;stroke:#f3f5f7;stroke-width:3px;stroke-linejoin:round}
    .strong{font-weight:600;fill:#1f2328}.name{fill:#424a53}
    """

  /// The same styles on a dark background.
  static let darkCommon = """
    text{fill:#e6edf3}.back{fill:#0d1117}.subtitle,.axis{fill:#9da7b1}
    .ground{fill:#161b22}.grid{stroke:#2b323b}.tick{stroke:#6e7681}
    .label{fill:#9da7b1;stroke:#161b22}.strong{fill:#e6edf3}.name{fill:#c4ccd4}
    """

  static let text = """
    \(common)
    .water{fill:#e3edf5}.land{fill:#f6f5f1;stroke:#f6f5f1}.border{fill:none;stroke:#b3b0c2;stroke-width:1}
    .credits{font-size:10px}.name,.label,.title{unicode-bidi:isolate}
    .area{fill:#e2e7dc;fill-rule:evenodd;stroke:#c3ccb9;stroke-width:.8}
    .road{fill:none;stroke:#bcc4cc;stroke-width:1.5;stroke-linejoin:round}.place{fill:#6e7781}
    .casing,.line,.gap{fill:none;stroke-linecap:round;stroke-linejoin:round}
    .casing{stroke:#1f2328;stroke-width:6}.line{stroke-width:4}.none{stroke:#afb8c1}
    .gap{stroke:#57606a;stroke-width:2;stroke-dasharray:2 6}
    .scale{fill:none;stroke:#1f2328;stroke-width:2}
    .stop circle{fill:#fff;stroke:#1f2328;stroke-width:2}
    .stop text{font-size:11px;font-weight:600}
    .waypoint{fill:#bc4c00;stroke:#fff;stroke-width:1.5}
    .fence,.corridor{fill:#8250df;fill-opacity:.16}.fence{fill-rule:evenodd;stroke:#8250df;stroke-width:1.5}
    .start{fill:#fff;stroke:#0a6b2d;stroke-width:4}.end{fill:#b3261e;stroke:#fff;stroke-width:2}
    .cursor{fill:#fff;stroke:#c2185b;stroke-width:4}.cursor-line{stroke:#c2185b;stroke-width:2}
    .fill{fill:#31688e;fill-opacity:.15}.curve{fill:none;stroke:#31688e;stroke-width:1.5;\
    stroke-linejoin:round}
    \(colors(light))
    @media (prefers-color-scheme:dark){
    \(darkCommon)
    .water{fill:#0e1a26}.land{fill:#1b1f22;stroke:#1b1f22}.border{stroke:#51505f}
    .area{fill:#1d2721;stroke:#34423a}.road{stroke:#3d4650}.place{fill:#8b949e}
    .casing{stroke:#010409}.none{stroke:#6e7681}.gap{stroke:#9da7b1}.scale{stroke:#e6edf3}
    .stop circle{fill:#0d1117;stroke:#e6edf3}
    .waypoint{fill:#ff9a4d;stroke:#0d1117}
    .fence,.corridor{fill:#b392f0;fill-opacity:.22}.fence{stroke:#b392f0}
    .start{fill:#0d1117;stroke:#4cc970}.end{fill:#ff7b72;stroke:#0d1117}
    .cursor{fill:#0d1117;stroke:#ff7eb6}.cursor-line{stroke:#ff7eb6}
    .fill{fill:#4f9fc4;fill-opacity:.2}.curve{stroke:#4f9fc4}
    \(colors(dark))
    }
    @media (max-width:600px){text{font-size:24px}.credits{font-size:16px}.second{display:none}.title{font-size:32px}.subtitle{font-size:20px}
    .stop circle{r:14px}.stop text{font-size:18px}
    .waypoint{transform-box:fill-box;transform-origin:center;transform:scale(1.8)}}
    """

  /// The styles of a sequence of colors; see ``ColorClass``.
  static func colors(_ sequence: [String]) -> String {
    sequence.enumerated().map { index, color in
      ".k\(index){stroke:\(color)}.swatch.k\(index){fill:\(color);stroke:none}"
    }.joined(separator: "\n")
  }
}
