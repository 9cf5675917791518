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
    var body: Markup = Self.moved(y, MapFigure(content: content, hasCursor: false).markup)
    y += content.view.height + 8
    body += Self.moved(y, LegendFigure(content: content).markup)
    y += LegendFigure.height + 12
    for coloring in TrackPicture.Coloring.allCases {
      let figure = ProfileFigure(content: content, coloring: coloring, hasCursor: false)
      guard let chart = figure.markup else { continue }
      body += Self.moved(y, chart)
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

  private static func moved(_ y: Double, _ markup: Markup) -> Markup {
    "<g transform=\"translate(\(margin) \(y))\">\n\(markup)</g>\n"
  }
}
