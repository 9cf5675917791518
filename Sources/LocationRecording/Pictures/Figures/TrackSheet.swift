import AsyncLocation
import FoundationEssentials

/// A track's picture as an SVG file: title, map, legend, charts. Pure.
struct TrackSheet {
  private static let margin = 24.0
  private static let top = 88.0

  let content: TrackContent

  var markup: Markup {
    let summary = TrackSummary(content)
    var y = Self.top
    var body = Self.placed(MapFigure(content: content, hasCursor: false).markup, atY: y)
    y += content.view.height + 8
    body += Self.placed(LegendFigure(content: content).markup, atY: y)
    y += LegendFigure.height + 12
    for coloring in TrackPicture.Coloring.allCases {
      let figure = ProfileFigure(content: content, coloring: coloring, hasCursor: false)
      guard let chart = figure.markup else { continue }
      body += Self.placed(chart, atY: y)
      y += ProfileFigure.height + 8
    }
    let (width, height) = (TrackContent.width + 2 * Self.margin, y + 8)
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
      height="\(height)" role="img" aria-labelledby="title description">
      <title id="title">\(summary.title)</title>
      <desc id="description">\(summary.description)</desc>
      <style>
      \(Markup(written: PictureStyle.text))
      </style>
      <rect class="back" width="\(width)" height="\(height)"/>
      <text class="title" x="\(Self.margin)" y="42">\
      \(PictureText.shortened(summary.title, to: 44))</text>
      <text class="subtitle" x="\(Self.margin)" y="70">\(summary.line)</text>
      \(body)</svg>

      """
  }

  /// A figure at a distance from the top, with the margin at its left.
  private static func placed(_ markup: Markup, atY y: Double) -> Markup {
    "<g transform=\"translate(\(margin) \(y))\">\n\(markup)</g>\n"
  }
}
