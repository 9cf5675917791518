import AsyncLocation

/// The statistics, waypoints, stops, gaps and conditions of a track's picture as tables. Pure.
struct PageTables {
  let content: TrackContent
  let summary: TrackSummary

  var markup: Markup {
    let rows = summary.rows.map { name, value -> Markup in
      "<tr><th scope=\"row\">\(name)</th><td>\(value)</td></tr>\n"
    }
    return """
      <h2 id="numbers">Numbers</h2>
      <div class="scroll"><table aria-labelledby="numbers"><tbody>
      \(rows)</tbody></table></div>
      \(waypoints)\(stops)\(gaps)\(Self.conditions(content.conditions))
      """
  }

  private var waypoints: Markup {
    let all = content.waypoints.all
    let shown = all.prefix(TrackContent.listLimit)
    var markup = Self.table(
      "waypoints", "Waypoints", ["Name", "Kind", "Altitude", "Position", "Details"],
      shown.map { waypoint in
        [
          waypoint.name ?? "–", waypoint.type ?? waypoint.symbol ?? "–",
          waypoint.altitude.map(PictureText.altitude) ?? "–",
          PictureText.coordinate(waypoint.coordinate), waypoint.details ?? waypoint.comment ?? "–",
        ].map { PictureText.shortened($0, to: 60) }
      })
    if shown.count < all.count {
      markup += "<p>\(all.count - shown.count) more are not listed.</p>\n"
    }
    return markup
  }

  private var stops: Markup {
    Self.table(
      "stops", "Stops", ["Number", "From", "Duration", "Position"],
      content.stops.enumerated().map { index, stop in
        [
          String(index + 1), content.clock.instant(content.date(stop.start)),
          PictureText.duration(seconds: stop.duration), PictureText.coordinate(stop.place),
        ]
      })
  }

  private var gaps: Markup {
    let shown = content.gaps.prefix(TrackContent.listLimit)
    var markup = Self.table(
      "gaps", "Gaps", ["From", "Duration", "Distance", "Reason"],
      shown.map { gap in
        [
          content.clock.instant(gap.last.timestamp),
          gap.duration < .zero ? "–" : PictureText.duration(gap.duration),
          PictureText.length(gap.distance), Self.reason(gap.reason),
        ]
      })
    if shown.count < content.gaps.count {
      markup += "<p>\(content.gaps.count - shown.count) more are not listed.</p>\n"
    }
    return markup
  }

  static func conditions(_ conditions: MapConditions) -> Markup {
    let shown = conditions.rows.prefix(TrackContent.listLimit)
    var markup = table(
      "conditions", "Conditions", ["Name", "Area", "Position"],
      shown.map { row in
        [
          PictureText.shortened(row.name, to: 60), row.kind,
          row.place.map(PictureText.coordinate) ?? "–",
        ]
      })
    if shown.count < conditions.rows.count {
      markup += "<p>\(conditions.rows.count - shown.count) more are not listed.</p>\n"
    }
    return markup
  }

  /// A table with a heading; empty without rows.
  static func table(
    _ id: String, _ title: String, _ columns: [String], _ rows: [[String]]
  ) -> Markup {
    guard !rows.isEmpty else { return .empty }
    let head = columns.map { name -> Markup in "<th scope=\"col\">\(name)</th>" }
    let body = rows.map { row -> Markup in
      let cells = row.map { text -> Markup in "<td><bdi>\(text)</bdi></td>" }
      return "<tr>\(cells)</tr>\n"
    }
    return """
      <h2 id="\(id)">\(title)</h2>
      <div class="scroll"><table aria-labelledby="\(id)"><thead><tr>\(head)</tr></thead><tbody>
      \(body)</tbody></table></div>

      """
  }

  private static func reason(_ beginning: TrackPoint.Beginning) -> String {
    switch beginning {
    case .start: "another recording"
    case .loss: "no fix"
    case .interval: "no locations"
    case .distance: "a jump"
    case .receiver: "another receiver took over"
    case .earlierTime: "the time went back"
    case .division: "divided"
    }
  }
}
