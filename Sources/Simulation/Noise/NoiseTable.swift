import AsyncLocation

/// The tables in the documentation that show how the parameters of crossings, visits and
/// significant changes were chosen.
package struct NoiseTable: Sendable {
  /// The simulated days for each number of events a day in the tables.
  private let days: Int
  private let seed: UInt64

  package init(days: Int, seed: UInt64) { (self.days, self.seed) = (days, seed) }

  private static let settings: [(name: String, options: CrossingOptions)] = [
    ("at once", CrossingOptions(confirmation: .zero, marginFactor: 1)),
    ("20 s", CrossingOptions(marginFactor: 1, longestConfirmation: .zero)),
    ("20 s, 1.5 accuracies", CrossingOptions(longestConfirmation: .zero)),
    ("doubled to 160 s", CrossingOptions()),
    ("doubled to 640 s", CrossingOptions(longestConfirmation: .seconds(640))),
  ]

  /// The lines of the tables, in Markdown.
  package var lines: [String] { fences + [""] + visits + [""] + significantChanges }

  private var fences: [String] {
    heading("events a day at a fence of 100 m", Self.settings.map(\.name))
      + FenceTrial.all.map { trial in
        row(trial.name) { options in
          Self.decimal(
            perDay { trial.events(hours: 24, options, seed: $0) })
        }
      } + [
        row("seconds until an entry at 40 m/s is reported") { options in
          CrossingTrial.latestEntry(at: 40, options, seed: seed).map(Self.decimal) ?? "never"
        },
        row("stops of 3 min, every 20 min, that are reported") { options in
          let share = CrossingTrial.reportedStops(of: 180, options, seed: seed)
          return "\(Int((share * 100).rounded())) %"
        },
      ]
  }

  private func row(_ name: String, _ cell: (CrossingOptions) -> String) -> String {
    Self.row([name] + Self.settings.map { cell($0.options) })
  }

  private var visits: [String] {
    let confirmations = [30, 60, 120, 300]
    let settings = confirmations.map { VisitOptions(jumpConfirmation: .seconds($0)) }
    func row(_ name: String, _ jumps: ReceiverErrors.Jumps) -> String {
      Self.row(
        [name]
          + settings.map { options in
            Self.decimal(
              perDay {
                MovementTrial.falseDepartures(hours: 24, jumps, options, seed: $0)
              })
          })
    }
    return heading("false departures a day", confirmations.map { "\($0) s after a jump" }) + [
      row("a jump of 250 m and 60 s in an hour", .init(perHour: 1, duration: 60)),
      row("four in an hour", .init(perHour: 4, duration: 60)),
      Self.row(
        ["seconds until a departure at 20 m/s is reported"]
          + settings.map {
            MovementTrial.departureDelay(at: 20, every: 5, $0, seed: seed).map(Self.decimal)
              ?? "never"
          }),
    ]
  }

  private var significantChanges: [String] {
    let confirmations = [0, 20, 60, 120]
    func row(_ name: String, _ jumps: ReceiverErrors.Jumps) -> String {
      Self.row(
        [name]
          + confirmations.map { seconds in
            Self.decimal(
              perDay {
                MovementTrial.falseChanges(
                  hours: 24, jumps, confirmation: .seconds(seconds), seed: $0)
              })
          })
    }
    return heading("false changes a day", confirmations.map { "\($0) s" }) + [
      row("an outlier of 2 km, one location", .init(perHour: 1, distance: 2_000, duration: 0)),
      row("one of 60 s", .init(perHour: 1, distance: 2_000, duration: 60)),
    ]
  }

  private func perDay(_ count: (UInt64) -> Int) -> Double {
    let total = (0..<days).reduce(0) { $0 + count(seed &+ UInt64($1)) }
    return Double(total) / Double(days)
  }

  private func heading(_ title: String, _ columns: [String]) -> [String] {
    [Self.row([title] + columns), Self.row(["---"] + columns.map { _ in "---:" })]
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }

  private static func decimal(_ number: Double) -> String {
    number >= 100 ? "\(Int(number.rounded()))" : "\((number * 10).rounded() / 10)"
  }
}
