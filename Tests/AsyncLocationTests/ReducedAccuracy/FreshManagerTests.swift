import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// F63: many managers and processes report one location.
@Suite(.inTurn) struct FreshManagerTests {
  private struct Errors: Sendable {
    /// The mean distances in metres from a home to one answer and to the mean of all answers.
    var ofOne = 0.0
    var ofMean = 0.0
    var mostAnswers = 0
  }

  struct Attack: Sendable, CustomTestStringConvertible {
    let managers: Int
    let processes: Int
    let testDescription: String
  }

  static let attacks = [
    Attack(managers: 1_000, processes: 1, testDescription: "1,000 managers of one process"),
    Attack(managers: 10, processes: 100, testDescription: "10 managers in each of 100 processes"),
  ]

  /// The number of homes, from the environment. Half of them are 2 m inside a border.
  private static let homes =
    ProcessInfo.processInfo.environment["ASYNC_LOCATION_ATTACKED_HOMES"].flatMap(Int.init) ?? 10

  @Test("F63: the mean of many managers and processes is no more accurate", arguments: attacks)
  func theMeanOfManyAnswersIsNoMoreAccurate(_ attack: Attack) async throws {
    let parts = 2
    let errors = try await withThrowingTaskGroup(of: Errors.self) { group in
      for part in 0..<parts {
        group.addTask(executorPreference: LongWork.shared) {
          try await Self.errors(attack, homes: Self.homes / parts, seed: UInt64(part) + 63)
        }
      }
      return try await group.reduce(into: Errors()) {
        $0.ofOne += $1.ofOne / Double(Self.homes)
        $0.ofMean += $1.ofMean / Double(Self.homes)
        $0.mostAnswers = max($0.mostAnswers, $1.mostAnswers)
      }
    }
    #expect(errors.ofMean >= 0.95 * errors.ofOne, "\(errors)")
    #expect(errors.mostAnswers == 1, "\(errors)")
    print("F63: \(attack), \(Self.homes) homes:", errors)
  }

  private static func errors(
    _ attack: Attack, homes: Int, seed: UInt64
  ) async throws -> Errors {
    var random = SplitMix64(seed: seed)
    let key = Globe.key(seed)
    let grid = ReducedGrid(key: key)
    var errors = Errors()
    for index in 0..<homes {
      var home = Globe.anywhere(using: &random)
      if index.isMultiple(of: 2) {
        let (direction, _) = Globe.ground(home)
        let border = Globe.border(from: home, along: direction, in: grid).inside
        home = Globe.moved(home, border - 2, along: direction)
      }
      let (east, north) = Globe.ground(home)
      let storage = attack.processes > 1 ? MemoryTracks() : nil
      var answers: Set<SurfaceNormal> = []
      var sum = SurfaceNormal(x: 0, y: 0, z: 0)
      var ofOne = 0.0
      var time = 0.0
      for _ in 0..<attack.processes {
        let process = ReducedTracks(key: key)
        if let storage { process.store(in: storage) }
        for _ in 0..<attack.managers {
          time += 300  // Each fix starts a time step.
          let jitter = Globe.deviates(2, using: &random)
          let place = Globe.moved(
            Globe.moved(home, 5 * jitter[0], along: east), 5 * jitter[1], along: north)
          let fix = try Location(
            coordinate: Globe.coordinate(place), timestamp: Sample.date(time),
            sourceInformation: SourceInformation(device: "a"))
          // Reduces the fix as a new manager does.
          var manager = KnownReports()
          manager.keyWasRead(process)
          if manager.reduce(fix) == nil { await process.choose(fix) { true } }
          let answer = SurfaceNormal(try #require(manager.reduce(fix)).coordinate)
          answers.insert(answer)
          sum = .sum(sum, 1, answer, 1, answer, 0)
          ofOne += Globe.distance(answer, home)
        }
      }
      errors.ofOne += ofOne / Double(attack.managers * attack.processes)
      errors.ofMean += Globe.distance(Globe.unit(sum), home)
      errors.mostAnswers = max(errors.mostAnswers, answers.count)
    }
    return errors
  }

  /// The output reveals only the time step in which the receiver crosses a border.
  @Test("F63: a drive with a manager for each fix changes once per time step")
  func aDriveChangesOncePerTimeStep() throws {
    var random = SplitMix64(seed: 63)
    let key = Globe.key(63)
    let process = ReducedTracks(key: key)
    let start = Globe.anywhere(using: &random)
    let (east, _) = Globe.ground(start)
    var changes: [Int] = []
    var last: Coordinate?
    for second in 0..<3_000 {
      var manager = KnownReports()
      manager.keyWasRead(process)
      let fix = try Location(
        coordinate: Globe.coordinate(Globe.moved(start, 20 * Double(second), along: east)),
        timestamp: Sample.date(Double(second)), sourceInformation: SourceInformation(device: "a"))
      let answer = try #require(manager.reduce(fix)).coordinate
      if answer != last { changes.append(second) }
      last = answer
    }
    #expect(changes.count > 5)
    #expect(changes.allSatisfy { $0.isMultiple(of: 300) }, "\(changes)")
  }
}
