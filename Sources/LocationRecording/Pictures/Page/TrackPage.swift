import AsyncLocation

/// A track's picture as an HTML page. Pure.
struct TrackPage {
  private static let language = "en"

  let content: TrackContent

  var markup: Markup {
    let summary = TrackSummary(content)
    let profiles = self.profiles
    let script = profiles == nil ? nil : PageScript.text
    return """
      <!doctype html>
      <html lang="\(Self.language)">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(Self.policy(hasScript: script != nil))">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="generator" content="AsyncLocation">
      <title>\(summary.title)</title>
      <style>\(Markup(written: PageStyle.text))</style>
      </head>
      <body>
      <main>
      <h1><bdi>\(summary.title)</bdi></h1>
      <p class="summary">\(summary.line)</p>
      \(map(summary))\(profiles ?? .empty)\(PageTables(content: content, summary: summary).markup)\
      </main>
      \(script.map(Self.script) ?? .empty)</body>
      </html>

      """
  }

  /// The content security policy: nothing is loaded but the page's own style sheet and script.
  private static func policy(hasScript: Bool) -> String {
    let source = hasScript ? "'sha256-\(PageScript.hash)'" : "'none'"
    return """
      default-src 'none'; style-src 'sha256-\(PageStyle.hash)'; \
      script-src \(source); base-uri 'none'; form-action 'none'
      """
  }

  private static func script(_ text: String) -> Markup {
    "<script>\(Markup(written: text))</script>\n"
  }

  private func map(_ summary: TrackSummary) -> Markup {
    """
    <figure>
    <svg id="map" viewBox="0 0 \(TrackContent.width) \(content.view.height)" role="img" \
    aria-labelledby="map-title map-description">
    <title id="map-title">\(summary.title)</title>
    <desc id="map-description">\(summary.description)</desc>
    \(MapFigure(content: content, hasCursor: true).markup)</svg>
    <svg class="legend" viewBox="0 0 \(TrackContent.width) \(LegendFigure.height)" role="img" \
    aria-label="Legend">
    \(LegendFigure(content: content).markup)</svg>
    </figure>

    """
  }

  /// The charts as one slider, with the data for its script; nil without a chart.
  private var profiles: Markup? {
    let figures = TrackPicture.Coloring.allCases.compactMap { coloring in
      ProfileFigure(content: content, coloring: coloring, hasCursor: true).markup
    }
    guard !figures.isEmpty else { return nil }
    let charts = figures.map { figure -> Markup in
      """
      <svg viewBox="0 0 \(TrackContent.width) \(ProfileFigure.height)" aria-hidden="true">
      \(figure)</svg>

      """
    }
    let positions = CursorPositions(content)
    return """
      <output id="readout" aria-live="polite">Point at the map or at a profile, or use the arrow \
      keys.</output>
      <div id="profiles" role="slider" tabindex="0" aria-label="Position along the track" \
      aria-valuemin="0" aria-valuemax="\(max(0, positions.rows.count - 1))" aria-valuenow="0" \
      aria-valuetext="\(positions.rows.first?.words ?? "")">
      \(charts)</div>
      <script type="application/json" id="samples">\(Markup(written: positions.json))</script>

      """
  }
}
