import AsyncLocation

/// Formats a ``WatchState`` as lines that fit a window. Pure.
struct WatchTable: Sendable {
  var width = 80
  var height = 24
  var glyphs = Glyphs.unicode

  /// The width of the labels, and the column of the errors in a wide window.
  private static let indent = 12
  private static let errorColumn = 56

  /// The lines from top to bottom: fewer than the rows of the window, and each narrower than the
  /// window, so that the terminal neither scrolls nor wraps.
  func lines(_ state: WatchState, now: Duration) -> [StyledLine] {
    var rows = header(state, now) + facts(state, now)
    let room = max(1, height - 1)
    while rows.count > room, let index = rows.indices.max(by: { rows[$0].rank < rows[$1].rank }) {
      rows.remove(at: index)
    }
    var lines = rows.map(\.line)
    if let sky = state.sky, room - lines.count >= 4 {
      lines.append(StyledLine())
      lines += SkyTable(glyphs: glyphs).lines(sky, width: width - 1, height: room - lines.count)
    }
    return lines.map { $0.cut(to: width - 1, ellipsis: glyphs.ellipsis) }
  }

  /// A line and its rank. If the window is too small, lines with the highest rank are omitted
  /// first.
  private struct Row {
    let rank: Int
    let line: StyledLine

    init(_ rank: Int, _ line: StyledLine) { (self.rank, self.line) = (rank, line) }
  }

  private func header(_ state: WatchState, _ now: Duration) -> [Row] {
    var title = StyledLine(Escaping.escape(state.source, limit: 120), .title)
    title.append("  ")
    title.append(connection(state, now))
    var rows = [Row(0, title)]
    for problem in problems(state) { rows.append(Row(1, problem)) }
    return rows + [Row(9, StyledLine())]
  }

  private func connection(_ state: WatchState, _ now: Duration) -> StyledLine {
    var line = ConnectionText.line(
      state.connection, since: state.connectionChangedAt, now: now, glyphs: glyphs)
    if state.isCombined, let source = state.connection?.sourceInForce {
      line.append("  \(Escaping.escape(source, limit: 80)) in force")
    }
    if state.connection?.phase == .connected, state.location == nil {
      line.append("  waiting for a fix", .warning)
    }
    return line
  }

  private func problems(_ state: WatchState) -> [StyledLine] {
    var problems = [StyledLine]()
    if let problem = state.connection?.problem {
      problems.append(StyledLine(Escaping.escape(Reason.text(problem), limit: 300), .bad))
    }
    var diagnostics = state.diagnostics
    // Without a connection a missing fix is expected.
    if state.connection?.phase != .connected { diagnostics.remove(.locationUnavailable) }
    for (diagnostic, text) in Reason.diagnostics where diagnostics.contains(diagnostic) {
      problems.append(StyledLine(text, .warning))
    }
    if !state.isCombined, let receivers = state.connection?.receivers, receivers.count > 1,
      state.connection?.preferredReceiver == nil
    {
      problems.append(
        StyledLine("\(receivers.count) receivers report; --device chooses one", .warning))
    }
    return problems
  }

  private func facts(_ state: WatchState, _ now: Duration) -> [Row] {
    guard let location = state.location else { return [] }
    let text = LocationText(glyphs: glyphs)
    var rows = [
      Row(2, row("Position", text.decimal(location), error: text.horizontalError(location)))
    ]
    rows.append(Row(8, row("", text.sexagesimal(location))))
    if let place = state.place { rows += self.place(place, of: location) }
    // Unknown values keep their rows; a table with changing rows is hard to read.
    rows += [
      Row(3, row("Altitude", text.altitude(location), error: text.verticalError(location))),
      Row(3, row("Speed", text.speed(location), error: text.speedError(location))),
      Row(4, row("Course", text.course(location), error: text.courseError(location))),
      Row(7, row("Climb", text.climb(location))),
      Row(5, row("Fix", text.fix(location, sky: state.sky))),
    ]
    rows.append(Row(5, time(location, state, now)))
    let device = text.device(location, receivers: state.connection?.receivers ?? [])
    if let device { rows.append(Row(6, row("Receiver", device))) }
    return rows
  }

  private func place(_ update: PlacemarkUpdate, of location: Location) -> [Row] {
    let reason = update.error.map { Escaping.escape($0.message, limit: 200) }
    let line = Row(4, row("Place", PlaceText.placeAndDistance(update, from: location) ?? reason))
    guard let attribution = PlaceText.attribution(update.placemarks) else { return [line] }
    var source = row("", "")
    source.append(Escaping.escape(attribution, limit: 120), .label)
    return [line, Row(8, source)]
  }

  private func time(_ location: Location, _ state: WatchState, _ now: Duration) -> StyledLine {
    var line = row("Time", LocationText(glyphs: glyphs).time(location))
    let age = location.age ?? state.locatedAt.map { now - $0 } ?? .zero
    let role: StyledLine.Role = age < .seconds(5) ? .plain : age < .seconds(30) ? .warning : .bad
    line.append("   ")
    line.append(NumberText.span(age) + " ago", role)
    line.append("   number \(state.count)", .label)
    return line
  }

  private func row(_ label: String, _ value: String?, error: String? = nil) -> StyledLine {
    var line = StyledLine(label, .label)
    line.append(String(repeating: " ", count: Self.indent - label.count))
    line.append(value ?? "-")
    if let error {
      if width > 72 { line.pad(to: Self.errorColumn) }
      line.append("  ")
      line.append(error, .label)
    }
    return line
  }
}
