import LocationRecording

/// What to say about a recording that was read. Pure.
enum ScanMessages {
  /// The number of skipped parts that are shown one by one.
  static let shownParts = 5

  static func lines(of summary: RecordingScan.Summary, path: String) -> [String] {
    let name = FileFault.name(path)
    var lines: [String] = []
    if summary.undatedCount > 0 {
      let locations = NumberText.counted(summary.undatedCount, "location")
      lines.append("\(locations) had no date: the times are made up from now")
    }
    let (count, parts) = (summary.skipped.count, summary.skipped.parts)
    if count > 0 {
      lines.append(
        "\(name): \(NumberText.counted(count, "part")) \(count == 1 ? "was" : "were") skipped")
      lines += parts.prefix(shownParts).map { "\(name): \($0)" }
      if count > shownParts { lines.append("\(name): and \(count - shownParts) more") }
    }
    return lines
  }
}
