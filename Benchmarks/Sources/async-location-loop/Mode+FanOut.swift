import AsyncLocation
import Tally

/// Modes with many subscribers of one manager.
extension Mode {
  /// The number of fixes before memory is measured; every subscriber has then received some.
  private static let settled = 5

  func fanOut(to subscribers: Int, _ port: Int) async throws -> String {
    let manager = makeManager(port)
    tally_begin()
    var first = manager.updates(UpdateOptions()).makeAsyncIterator()
    // After the first fix, one-time allocations are done.
    try await first.next()?.tally()
    let before = tally_resident()
    var after = before
    var deliveries: UInt64 = 0
    try await withThrowingTaskGroup(of: (reports: UInt64, sum: UInt64).self) { group in
      for _ in 1..<subscribers {
        let updates = manager.updates(UpdateOptions())
        group.addTask { try await count(updates) }
      }
      // The first subscriber adds to the tally; the others count on their own.
      try await untilLost {
        var reports = 0
        while let location = try await first.next() {
          location.tally()
          reports += 1
          if reports == Self.settled { after = tally_resident() }
        }
      }
      for try await (reports, _) in group { deliveries += reports }
    }
    let each = subscribers > 1 ? (after - before) / Int64(subscribers - 1) : 0
    return await remarks(manager) + " others \(deliveries) each \(each)"
  }
}

private func count(_ updates: LocationUpdates) async throws -> (reports: UInt64, sum: UInt64) {
  var (reports, sum): (UInt64, UInt64) = (0, 0)
  try await untilLost {
    for try await location in updates {
      reports += 1
      sum &+= location.sum
    }
  }
  return (reports, sum)
}
