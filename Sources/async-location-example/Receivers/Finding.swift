/// The result of a check of `doctor`, with advice.
struct Finding: Hashable, Sendable, Encodable {
  enum Check: String, Hashable, Sendable, Encodable, CaseIterable {
    case library, daemon, source, permission, receivers, sky, fix, time
  }

  enum Result: String, Hashable, Sendable, Encodable {
    case ok, warning, problem
    /// A prerequisite is missing.
    case skipped
  }

  let check: Check
  let result: Result
  /// May quote untrusted text: escape before printing.
  let finding: String
  let advice: String?
  /// The source, if several are diagnosed.
  var backend: String?

  init(_ check: Check, _ result: Result, _ finding: String, advice: String? = nil) {
    (self.check, self.result) = (check, result)
    (self.finding, self.advice) = (finding, advice)
  }

  /// The finding as a line of text, followed by a line with any advice.
  var lines: [StyledLine] {
    var line = StyledLine(TextWidth.pad(result.rawValue, 9), role)
    line.append(TextWidth.pad(check.rawValue, 12))
    line.append(Escaping.escape(finding, limit: 1000))
    guard let advice else { return [line] }
    return [line, StyledLine(TextWidth.pad("", 21) + Escaping.escape(advice, limit: 1000), .label)]
  }

  private var role: StyledLine.Role {
    switch result {
    case .ok: .good
    case .warning: .warning
    case .problem: .bad
    case .skipped: .label
    }
  }
}
