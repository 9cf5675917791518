import AsyncLocation

/// The table in the documentation that shows how many trips of labelled days are found.
package struct TripTable: Sendable {
  private let days: Int
  private let seed: UInt64

  package init(days: Int, seed: UInt64) { (self.days, self.seed) = (days, seed) }

  /// The heading, in Markdown.
  package static let heading = [
    "| interval | planned | found | matched | precision | recall | F1 | start, median | start, 95 % "
      + "| end, median | end, 95 % | distance, median | distance, 95 % |",
    "| --- |" + String(repeating: " ---: |", count: 12),
  ]

  /// The line of a trial.
  package func line(_ trial: TripTrial) -> String {
    let score = trial.score(days: days, seed: seed)
    let cells = [
      trial.name, "\(score.planned)", "\(score.found)", "\(score.matched)",
      Self.thousandths(score.precision), Self.thousandths(score.recall),
      Self.thousandths(score.f1),
    ]
    let errors = [score.startErrors, score.endErrors].flatMap { errors in
      [0.5, 0.95].map { "\(Int(Self.size($0, of: errors).rounded())) s" }
    }
    let distances = [0.5, 0.95].map {
      "\((Self.size($0, of: score.distanceErrors) * 1_000).rounded() / 10) %"
    }
    return "| " + (cells + errors + distances).joined(separator: " | ") + " |"
  }

  /// The size of an error that a share of the errors does not exceed.
  private static func size(_ share: Double, of errors: [Double]) -> Double {
    guard !errors.isEmpty else { return 0 }
    let sizes = errors.map(abs).sorted()
    return sizes[min(sizes.count - 1, Int(share * Double(sizes.count)))]
  }

  private static func thousandths(_ number: Double) -> String {
    let text = String(Int((number * 1_000).rounded()))
    return text.count > 3 ? "1.000" : "0." + String(repeating: "0", count: 3 - text.count) + text
  }
}
