import AsyncLocation

/// A picture of several tracks as one file: title, map, legend. Pure.
struct TracksSheet {
  private static let margin = 24.0
  private static let top = 88.0
  /// The number of columns of the legend: two names of 24 characters fit side by side, even on a
  /// small screen.
  private static let columns = 2
  private static let rowHeight = 26.0
  /// The maximum number of tracks in the legend.
  private static let legendLimit = 40

  let content: TracksContent

  var svg: Markup {
    let mapHeight = content.view.height
    let height = Self.top + mapHeight + legendHeight + 24
    let width = TrackContent.width + 2 * Self.margin
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
      height="\(height)" role="img" aria-labelledby="title description">
      <title id="title">\(content.title)</title>
      <desc id="description">\(description)</desc>
      <style>
      \(Markup(written: TracksStyle.text))
      </style>
      <rect class="back" width="\(width)" height="\(height)"/>
      <text class="title" x="\(Self.margin)" y="42">\
      \(PictureText.shortened(content.title, to: 44))</text>
      <text class="subtitle" x="\(Self.margin)" y="70">\(content.summary)</text>
      <g transform="translate(\(Self.margin) \(Self.top))">
      \(MapFigure(content: content, hasCursor: false).markup)</g>
      <g transform="translate(\(Self.margin) \(Self.top + mapHeight + 12))">
      \(legend)</g>
      </svg>

      """
  }

  var html: Markup {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
    style-src 'sha256-\(TracksStyle.pageHash)'; script-src 'none'; base-uri 'none'; \
    form-action 'none'">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="generator" content="AsyncLocation">
    <title>\(content.title)</title>
    <style>\(Markup(written: TracksStyle.page))</style>
    </head>
    <body>
    <main>
    <h1><bdi>\(content.title)</bdi></h1>
    <p class="summary">\(content.summary)</p>
    <figure>
    <svg viewBox="0 0 \(TrackContent.width) \(content.view.height)" role="img" \
    aria-labelledby="map-title map-description">
    <title id="map-title">\(content.title)</title>
    <desc id="map-description">\(description)</desc>
    \(MapFigure(content: content, hasCursor: false).markup)</svg>
    \(legendPicture)</figure>
    \(table)\(PageTables.conditions(content.conditions))</main>
    </body>
    </html>

    """
  }

  private var description: String {
    let kind =
      content.view.projection.kind == .mercator
      ? "Map with north at the top" : "Map around the pole"
    let colors = content.entries.isEmpty ? "" : ", a color for each track"
    return "\(kind)\(colors). \(content.summary).\(content.ground.creditsSentence)"
  }

  /// The entries in the legend.
  private var shown: ArraySlice<TracksContent.Entry> { content.entries.prefix(Self.legendLimit) }

  private var legendHeight: Double {
    let count = shown.count + (shown.count < content.entries.count ? 1 : 0)
    return Double((count + Self.columns - 1) / Self.columns) * Self.rowHeight
  }

  private var legendPicture: Markup {
    guard !shown.isEmpty else { return .empty }
    return """
      <svg class="legend" viewBox="0 0 \(TrackContent.width) \(legendHeight)" role="img" \
      aria-label="Legend">
      \(legend)</svg>

      """
  }

  private var legend: Markup {
    var markup = Markup.empty
    for (index, entry) in shown.enumerated() {
      let (x, y) = Self.place(index)
      markup += """
        <circle class="swatch \(ColorClass.name(entry.color))" cx="\(x + 6)" cy="\(y - 4)" r="6"/>
        <text class="axis" x="\(x + 18)" y="\(y)">\(PictureText.shortened(entry.name, to: 24))</text>

        """
    }
    guard shown.count < content.entries.count else { return markup }
    let (x, y) = Self.place(shown.count)
    let more = "\(content.entries.count - shown.count) more"
    return markup + "<text class=\"axis\" x=\"\(x)\" y=\"\(y)\">\(more)</text>\n"
  }

  /// The place of an entry of the legend.
  private static func place(_ index: Int) -> (x: Double, y: Double) {
    let column = Double(index % columns)
    return (
      column * TrackContent.width / Double(columns), Double(index / columns + 1) * rowHeight - 8
    )
  }

  private var table: Markup {
    let entries = content.entries.prefix(TrackContent.listLimit)
    var markup = PageTables.table(
      "tracks", "Tracks", ["Name", "Locations", "Length", "First", "Last"],
      entries.map { entry in
        let statistics = entry.statistics
        return [
          entry.name, String(statistics.pointCount), PictureText.length(statistics.length),
          statistics.start.map { content.clock.instant($0) } ?? "–",
          statistics.end.map { content.clock.instant($0) } ?? "–",
        ]
      })
    if entries.count < content.entries.count {
      markup += "<p>\(content.entries.count - entries.count) more are not listed.</p>\n"
    }
    return markup
  }
}
