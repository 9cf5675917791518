/// The legend of a track: its colors with their values, and its other lines and marks. Pure.
struct LegendFigure {
  static let height = 68.0
  /// The width of the swatch of a color.
  private static let swatchWidth = 52.0
  /// The number of characters above which a small screen shows only every second number.
  private static let shortNumber = 3

  let content: TrackContent

  var markup: Markup {
    var markup = caption
    let scale = content.scale
    for index in 0..<scale.classCount {
      let color = ColorClass.name(scale.colorIndex(ofClass: index))
      markup += """
        <rect class="swatch \(color)" x="\(Self.x(index))" y="28" \
        width="\(Self.swatchWidth)" height="10"/>

        """
    }
    let step = scale.classCount > 0 ? scale.edges[1] - scale.edges[0] : 1
    let places = RoundSteps.decimalPlaces(of: step)
    let edges = scale.edges.enumerated().map { index, edge in
      let (isFirst, isLast) = (index == 0, index == scale.edges.count - 1)
      let number = FixedText.decimal(edge, places)
      let isOpen = isFirst && scale.isOpenBelow || isLast && scale.isOpenAbove
      return isOpen ? (isFirst ? "≤" : "≥") + number : number
    }
    let areLong = edges.contains { $0.count > Self.shortNumber }
    for (index, text) in edges.enumerated() {
      let name = areLong && !index.isMultiple(of: 2) ? "axis second" : "axis"
      markup += """
        <text class="\(name)" x="\(Self.x(index))" y="60" text-anchor="middle">\(text)</text>

        """
    }
    return markup + marks
  }

  /// The x of an edge between two classes.
  private static func x(_ index: Int) -> Double { 40 + Double(index) * swatchWidth }

  private var caption: Markup {
    let text =
      content.scale.classCount > 0
      ? "\(content.coloring.caption) in \(content.coloring.unit)"
      : "\(content.coloring.caption): not recorded"
    return "<text class=\"caption\" x=\"0\" y=\"20\">\(text)</text>\n"
  }

  /// The legend of the lines and marks, to the right of the scale.
  private var marks: Markup {
    var entries: [(sample: Markup, text: String)] = []
    if content.lines.lines[nil] != nil, content.scale.classCount > 0 {
      entries.append(("<path class=\"line none\" d=\"M0 0h26\"/>", "no value"))
    }
    if !content.gapLines.isEmpty {
      entries.append(("<path class=\"gap\" d=\"M0 0h26\"/>", "gap"))
    }
    if !content.stops.isEmpty {
      entries.append(("<g class=\"stop\"><circle cx=\"13\" r=\"7\"/></g>", "stop"))
    }
    var markup = Markup.empty
    var x = TrackContent.width
    for entry in entries.reversed() {
      x -= 46 + LabelSpace.width(entry.text, textSize: PictureStyle.smallScreenTextSize)
      markup += """
        <g transform="translate(\(x) 33)">\(entry.sample)\
        <text class="axis" x="34" y="5">\(entry.text)</text></g>

        """
    }
    return markup
  }
}
