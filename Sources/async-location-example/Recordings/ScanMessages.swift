import LocationRecording

/// The messages about a recording that was read. Pure.
enum ScanMessages {
  /// The maximum number of parts shown individually.
  static let shownParts = 5

  static func lines(of summary: RecordingScan.Summary, path: String) -> [String] {
    let name = FileFault.name(path)
    var lines: [String] = []
    if let failure = summary.failure {
      lines.append("\(name): \(failure); only what precedes this is kept")
    }
    if let undated = undated(summary.undatedCount) { lines.append(undated) }
    if summary.devices.count > 1 {
      lines.append(
        "\(name): it has several receivers, joined here: \(list(summary.devices)); --device selects one"
      )
    }
    if summary.otherCount > 0 {
      lines.append(
        "\(name): \(NumberText.counted(summary.otherCount, "position")) of receivers beside the best one "
          + "left out; --device selects one")
    }
    if summary.backwardTimeCount > 0 {
      let times = NumberText.counted(summary.backwardTimeCount, "time")
      let verb = summary.backwardTimeCount == 1 ? "is" : "are"
      lines.append(
        "\(name): \(times) \(verb) earlier than the one "
          + "before: tracks are not in the order of time, devices are mixed, or a clock was set")
    }
    lines += leftOut(summary.pointKind, summary.omitted).map { "\(name): \($0)" }
    let (count, parts) = (summary.skipped.count, summary.skipped.parts)
    if count > 0 {
      lines.append(
        "\(name): \(NumberText.counted(count, "part")) \(count == 1 ? "was" : "were") skipped")
      lines += parts.prefix(shownParts).map { "\(name): \($0)" }
      if count > shownParts { lines.append("\(name): and \(count - shownParts) more") }
    }
    return lines
  }

  /// Why a recording cannot be read to its end.
  ///
  /// - Parameter isReadable: Whether a part can be read.
  static func damage(_ failure: RecordingError, isReadable: Bool) -> String {
    failure.description + (isReadable ? "; --partial keeps what precedes this" : "")
  }

  /// Reports made-up times; nil without any.
  static func undated(_ count: Int) -> String? {
    guard count > 0 else { return nil }
    return
      "\(NumberText.counted(count, "location")) had no usable date: the times are made up"
  }

  /// Reports points used as the track, and content left out.
  static func leftOut(_ kind: RecordedPointKind?, _ omitted: OmittedContent) -> [String] {
    var lines: [String] = []
    switch kind {
    case .route?: lines.append("it has no track; the points of its routes are taken for one")
    case .waypoint?: lines.append("it has no track and no route; its waypoints are taken for one")
    case .track?, nil: break
    }
    let parts: [(count: Int, noun: String, what: String)] = [
      (omitted.routePointCount, "point", "of routes left out; its track is read"),
      (omitted.linePointCount, "point", "of lines left out; its track with times is read"),
      (omitted.unlocatedCount, "record", "without a position left out"),
      (omitted.messageCount, "message", "of other kinds left out: \(list(omitted.messageKinds))"),
      (
        omitted.alternativePointCount, "position",
        "of other kinds left out beside the track"
      ),
      (
        omitted.extensionCount, "element",
        "left out: \(list(omitted.extensionNames))"
      ),
      (omitted.nameCount, "name", "left out: \(list(omitted.names))"),
      (omitted.columnCount, "column", "not read: \(list(omitted.columnNames))"),
    ]
    lines += parts.filter { $0.count > 0 }.map { part in
      "\(NumberText.counted(part.count, part.noun)) \(part.what)"
    }
    return lines
  }

  private static func list(_ names: [String]) -> String {
    names.map { Escaping.escape($0, limit: 40) }.joined(separator: ", ")
  }

  /// Reports lost names of waypoints used as the track; nil without any.
  static func leftOut(namesOf count: Int, since reason: String) -> String? {
    guard count > 0 else { return nil }
    return "the names of \(NumberText.counted(count, "waypoint")) left out: \(reason)"
  }

  /// Reports waypoints left out; nil without any.
  static func leftOut(waypoints count: Int, since reason: String) -> String? {
    guard count > 0 else { return nil }
    return "\(NumberText.counted(count, "waypoint")) left out: \(reason)"
  }
}
