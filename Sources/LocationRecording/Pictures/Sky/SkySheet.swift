import AsyncLocation
import FoundationEssentials

/// A view of the sky as an SVG file. Pure.
struct SkySheet {
  private static let width = 500.0
  private static let top = 76.0
  private static let margin = 24.0
  private static let rowHeight = 26.0

  let view: SatelliteView
  let title: String

  var markup: Markup {
    let layout = SkyLayout(view)
    let legend = self.legend(layout)
    let legendTop = Self.top + 2 * SkyLayout.center.y + 8
    let height = legendTop + legend.height + 12
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" \
      width="\(Self.width)" height="\(height)" role="figure" aria-labelledby="title description">
      <title id="title">\(title)</title>
      <desc id="description">\(description)</desc>
      <style>
      \(Markup(written: SkyStyle.text))
      </style>
      <rect class="back" width="\(Self.width)" height="\(height)"/>
      <text class="title" x="\(Self.margin)" y="38">\(PictureText.shortened(title, to: 34))</text>
      <text class="subtitle" x="\(Self.margin)" y="62">\(summary)</text>
      <g transform="translate(0 \(Self.top))">
      \(Self.dome(layout))<g role="list" aria-label="Satellites">
      \(layout.marks.map(Self.mark))</g>
      </g>
      <g transform="translate(\(Self.margin) \(legendTop))">
      \(legend.markup)</g>
      </svg>

      """
  }

  // MARK: Words

  private var summary: String {
    [
      view.timestamp.map { PictureClock(zone: .utc).instant($0) },
      "\(view.used.count) used, \(view.satellites.count) in view",
    ].compactMap { $0 }.joined(separator: "  ·  ")
  }

  private var description: String {
    "The sky with north at the top and the zenith in the middle. \(summary)."
  }

  // MARK: The dome

  private static func dome(_ layout: SkyLayout) -> Markup {
    let center = SkyLayout.center
    var markup: Markup = """
      <circle class="ground" cx="\(center.x)" cy="\(center.y)" r="\(SkyLayout.radius)"/>

      """
    for elevation in [0.0, 30, 60] {
      let radius = SkyLayout.radius * (90 - elevation) / 90
      markup += """
        <circle class="grid" cx="\(center.x)" cy="\(center.y)" r="\(radius)"/>

        """
    }
    var spokes = PathData()
    for azimuth in stride(from: 0.0, to: 180, by: 30) {
      spokes.append(
        line: [
          SkyLayout.place(elevation: 0, azimuth: azimuth),
          SkyLayout.place(elevation: 0, azimuth: azimuth + 180),
        ])
    }
    markup += "<path class=\"grid\" d=\"\(spokes.text)\"/>\n"
    for ring in layout.rings {
      markup += """
        <text class="label" x="\(ring.label.x)" y="\(ring.label.y)" text-anchor="middle">\
        \(Int(ring.elevation))°</text>

        """
    }
    let names = [0: "N", 90: "E", 180: "S", 270: "W"]
    for azimuth in stride(from: 0, to: 360, by: 30) {
      let place = SkyLayout.place(elevation: -10, azimuth: Double(azimuth))
      let name = names[azimuth]
      markup += """
        <text class="\(name == nil ? "axis" : "strong")" x="\(place.x)" y="\(place.y + 5)" \
        text-anchor="middle">\(name ?? "\(azimuth)°")</text>

        """
    }
    return markup
  }

  private static func mark(_ mark: SkyLayout.Mark) -> Markup {
    let satellite = mark.satellite
    let label = mark.label.map { place -> Markup in
      """
      <text class="label" x="\(place.point.x)" y="\(place.point.y)" \
      text-anchor="\(place.anchor.rawValue)">\(mark.name)</text>
      """
    }
    let words = SatelliteName.long(satellite)
    return """
      <g role="listitem" aria-label="\(words)"><title>\(words)</title>\
      <path class="mark \(SatelliteShape.colorClass(satellite.constellation))\
      \(satellite.isUsed ? " used" : "")" transform="translate(\(mark.place.x) \(mark.place.y))" \
      d="\(SatelliteShape.path(satellite.constellation, mark.size))"/>\(label ?? .empty)</g>

      """
  }

  // MARK: The legend

  private func legend(_ layout: SkyLayout) -> (markup: Markup, height: Double) {
    var entries: [(mark: Markup, text: String)] = Self.constellations(view).map { entry in
      let count = "\(entry.used) of \(entry.count)"
      let mark = Self.sample(entry.constellation, radius: 8, isUsed: true)
      let name = entry.constellation?.displayName ?? "other"
      return (mark, "\(name), \(count) used")
    }
    entries.append((Self.sample(nil, radius: 8, isUsed: true, shape: .gps), "filled: used"))
    entries.append((Self.sample(nil, radius: 8, isUsed: false, shape: .gps), "hollow: not used"))
    entries.append(
      (
        Self.sample(nil, radius: 4, isUsed: false, shape: .gps, x: 0)
          + Self.sample(nil, radius: 11, isUsed: false, shape: .gps, x: 20),
        "10 and 50 dB-Hz"
      ))
    if !layout.unplaced.isEmpty {
      entries.append((.empty, "\(layout.unplaced.count) without a direction"))
    }
    var markup = Markup.empty
    for (index, entry) in entries.enumerated() {
      let (x, y) = (Double(index % 2) * 230 + 10, Double(index / 2) * Self.rowHeight + 14)
      markup += """
        <g transform="translate(\(x) \(y))">\(entry.mark)<text x="36" y="5">\(entry.text)</text></g>

        """
    }
    return (markup, Double((entries.count + 1) / 2) * Self.rowHeight)
  }

  /// A mark of the legend at an x.
  ///
  /// - Parameter shape: The shape of a mark without the color of a constellation; nil for the shape
  ///   and the color of `constellation`.
  private static func sample(
    _ constellation: Satellite.Constellation?, radius: Double, isUsed: Bool,
    shape: Satellite.Constellation? = nil, x: Double = 10
  ) -> Markup {
    let color = shape == nil ? SatelliteShape.colorClass(constellation) : "plain"
    return """
      <path class="mark \(color)\(isUsed ? " used" : "")" transform="translate(\(x) 0)" \
      d="\(SatelliteShape.path(shape ?? constellation, radius))"/>
      """
  }

  /// The constellations of a view in the order of their declaration. Satellites without a
  /// constellation are last.
  private static func constellations(
    _ view: SatelliteView
  ) -> [(constellation: Satellite.Constellation?, count: Int, used: Int)] {
    let known = Satellite.Constellation.allCases.map { $0 as Satellite.Constellation? }
    return (known + [nil]).compactMap { constellation in
      let satellites = view.satellites.filter { $0.constellation == constellation }
      guard !satellites.isEmpty else { return nil }
      return (constellation, satellites.count, satellites.filter(\.isUsed).count)
    }
  }
}
