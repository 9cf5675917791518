import TestSupport
import Testing

@testable import AsyncLocation
@testable import LocationRecording

@Suite(.inTurn) struct RecorderStateMachineTests {
  typealias Machine = RecorderStateMachine

  /// An input to a machine, or its expected response. A write succeeds by default.
  enum Step: Sendable {
    /// A location at a time in seconds, at a distance north of the first.
    case location(Double, metres: Double = 0, isReduced: Bool = false)
    case interrupt
    /// The next recording; nil if another is in progress. Its file has a point.
    case begin(Machine.Beginning?)
    case stop(Machine.End)
    case time(Double)
    case wait(until: Double?)
    case write(Int, file: String? = nil, fails: Bool = false)
    case synchronize(fails: Bool = false)
    case close(hasNote: Bool = false)
    case finish(fails: Bool = false)
    case lost(Int)
    case recorded(Int)
    case skipped(Int)
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var configuration = TrackRecorder.Configuration()
    let steps: [Step]
  }

  static let scenarios = [
    Scenario(
      testDescription: "F86 each location is written at once, and synchronized within the interval",
      steps: [
        .wait(until: nil), .location(1), .write(1), .wait(until: 11), .location(2), .write(1),
        .wait(until: 11), .time(11), .synchronize(), .wait(until: nil), .location(20), .write(1),
        .wait(until: 30),
      ]),
    Scenario(
      testDescription: "locations that arrive during a write are written together",
      steps: [.location(1), .location(2), .location(3), .write(3), .wait(until: 13)]),
    Scenario(
      testDescription: "without an interval, each location is synchronized",
      configuration: .init(syncInterval: .zero),
      steps: [
        .location(1), .write(1), .synchronize(), .location(2), .write(1), .synchronize(),
        .wait(until: nil),
      ]),
    Scenario(
      testDescription: "a quarter of the queue is synchronized before its time",
      configuration: .init(maximumWaiting: 8),
      steps: [
        .location(1), .write(1), .wait(until: 11), .location(1.1), .write(1), .synchronize(),
        .wait(until: nil),
      ]),
    Scenario(
      testDescription: "a synchronization that is due precedes waiting locations",
      steps: [.location(1), .write(1), .location(11), .synchronize(), .write(1), .wait(until: 21)]),
    Scenario(
      testDescription: "waiting locations are written at the end, then synchronized once",
      steps: [
        .location(1), .write(1), .location(12), .stop(.stopped), .write(1), .synchronize(),
        .close(), .finish(),
      ]),
    Scenario(
      testDescription: "nothing is written at the end if nothing waits",
      steps: [.stop(.stopped), .close(), .finish()]),
    Scenario(
      testDescription: "F58 locations made with permission are written when it is withdrawn",
      steps: [
        .location(1), .write(1), .time(11), .synchronize(), .location(12), .location(13),
        .stop(.revoked), .write(2), .synchronize(), .close(hasNote: true), .finish(),
      ]),
    Scenario(
      testDescription: "F58 a second end changes nothing",
      steps: [
        .location(1), .stop(.revoked), .stop(.stopped), .write(1), .synchronize(),
        .close(hasNote: true), .finish(),
      ]),
    Scenario(
      testDescription: "F52 a failed write is tried again at growing intervals",
      steps: [
        .location(1), .write(1, fails: true), .wait(until: 2), .location(1.5), .wait(until: 2),
        .time(2), .write(2, fails: true), .wait(until: 4), .time(4), .write(2, fails: true),
        .wait(until: 8), .time(8), .write(2, fails: true), .wait(until: 16), .time(16),
        .write(2, fails: true), .wait(until: 32), .time(32), .write(2, fails: true),
        .wait(until: 62), .time(62), .write(2, fails: true), .wait(until: 92), .time(92),
        .write(2), .location(93), .write(1, fails: true), .wait(until: 94),
      ]),
    Scenario(
      testDescription: "F52 locations that the disk did not accept are written again",
      steps: [
        .location(1), .write(1), .location(2), .write(1), .recorded(2), .time(11),
        .synchronize(fails: true), .recorded(0), .location(11.5), .wait(until: 12), .time(12),
        .write(3), .recorded(3), .wait(until: 22), .time(22), .synchronize(),
        .location(23), .write(1), .wait(until: 33),
      ]),
    Scenario(
      testDescription: "F52 a write that fails delays no synchronization",
      steps: [
        .location(1), .write(1), .location(10), .write(1, fails: true), .wait(until: 11),
        .time(11), .synchronize(), .write(1), .wait(until: 21),
      ]),
    Scenario(
      testDescription: "F52 at the end a write is tried once more",
      steps: [
        .location(1), .write(1, fails: true), .stop(.stopped), .write(1), .synchronize(), .close(),
        .finish(),
      ]),
    Scenario(
      testDescription: "F52 at the end, locations that the disk did not accept stay in the file",
      steps: [
        .location(1), .write(1), .location(2), .stop(.stopped), .write(1),
        .synchronize(fails: true), .close(), .lost(0), .recorded(2), .finish(fails: true),
      ]),
    Scenario(
      testDescription: "F52 at the end a failure is final",
      steps: [
        .location(1), .location(2), .stop(.stopped), .write(2, fails: true), .close(), .lost(2),
        .finish(fails: true),
      ]),
    Scenario(
      testDescription: "F52 the oldest locations are dropped and counted",
      configuration: .init(maximumWaiting: 4),
      steps: [
        .location(1), .write(1, fails: true), .location(2), .location(3), .location(4), .lost(0),
        .location(5), .lost(1), .location(6), .lost(2), .time(2), .write(4), .lost(2),
      ]),
    Scenario(
      testDescription: "a location that is too near is skipped, but not after a gap",
      configuration: .init(syncInterval: .seconds(999), minimumDistance: 10),
      steps: [
        .location(1), .write(1), .location(2, metres: 9), .skipped(1), .wait(until: 1000),
        .location(3, metres: 11), .write(1), .location(100, metres: 11), .write(1), .interrupt,
        .location(101, metres: 11), .write(1), .skipped(1),
      ]),
    Scenario(
      testDescription: "F58 no location is compared with one of another accuracy",
      configuration: .init(minimumDistance: 10),
      steps: [
        .location(1), .write(1), .location(2, metres: 9, isReduced: true), .write(1),
        .location(3, metres: 9, isReduced: true), .skipped(1), .location(4, metres: 9), .write(1),
      ]),
    Scenario(
      testDescription: "standing still is no gap",
      configuration: .init(syncInterval: .seconds(999), minimumDistance: 10),
      steps: [
        .location(1), .write(1), .location(50), .location(100), .location(150), .skipped(3),
        .wait(until: 1000),
      ]),
    Scenario(
      testDescription: "a location that is too early is skipped, unless by jitter",
      configuration: .init(syncInterval: .seconds(999), minimumInterval: .seconds(8)),
      steps: [
        .location(1), .write(1), .location(7.9), .skipped(1), .location(8), .write(1),
        .location(14), .skipped(2), .location(16), .write(1),
      ]),
    Scenario(
      testDescription: "a file ends before its time is over",
      configuration: .init(rotation: .duration(.seconds(4))),
      steps: [
        .location(1), .location(5), .location(6), .write(2, file: "a-20260509T061321Z.gpx"),
        .write(1, file: "a-20260509T061326Z.gpx"), .wait(until: nil), .location(7), .write(1),
        .location(11), .synchronize(), .write(1, file: "a-20260509T061331Z.gpx"),
      ]),
    Scenario(
      testDescription: "a file ends before its length is exceeded",
      configuration: .init(syncInterval: .seconds(999), rotation: .distance(100)),
      steps: [
        .location(1), .write(1, file: "a-20260509T061321Z.gpx"), .location(2, metres: 99),
        .write(1), .location(3, metres: 102), .synchronize(),
        .write(1, file: "a-20260509T061323Z.gpx"),
        .location(4, metres: 198), .write(1),
      ]),
    Scenario(
      testDescription: "a file has at least a point",
      configuration: .init(syncInterval: .zero, rotation: .bytes(1)),
      steps: [
        .location(1), .write(1, file: "a-20260509T061321Z.gpx"), .location(2),
        .write(1, file: "a-20260509T061322Z.gpx"),
      ]),
    Scenario(
      testDescription: "a new file that fails leaves the old one, and is tried again",
      configuration: .init(syncInterval: .zero, rotation: .duration(.seconds(4))),
      steps: [
        .location(1), .write(1, file: "a-20260509T061321Z.gpx"), .location(6),
        .write(1, file: "a-20260509T061326Z.gpx", fails: true), .wait(until: 7), .time(7),
        .write(1, file: "a-20260509T061326Z.gpx"),
      ]),
    Scenario(
      testDescription: "F52 at the end, a disk that fails between two files is tried twice",
      configuration: .init(rotation: .duration(.seconds(4))),
      steps: [
        .location(1), .write(1, file: "a-20260509T061321Z.gpx"), .location(2), .location(9),
        .stop(.stopped), .write(1), .synchronize(fails: true), .write(1),
        .synchronize(fails: true), .close(), .finish(fails: true),
      ]),
    Scenario(
      testDescription: "without a location there is no file of a rotation",
      configuration: .init(rotation: .duration(.seconds(4))),
      steps: [.stop(.stopped), .close(), .finish()]),
    Scenario(
      testDescription:
        "F58 the next recording continues the file, and compares nothing with the last one",
      configuration: .init(minimumDistance: 10),
      steps: [
        .location(1), .write(1), .location(2, metres: 9), .skipped(1), .stop(.revoked),
        .synchronize(), .close(hasNote: true), .finish(), .begin(.open("a.gpx")),
        .wait(until: nil), .location(3, metres: 9), .write(1), .recorded(2), .wait(until: 13),
        .stop(.stopped), .synchronize(), .close(), .finish(), .begin(.open("a.gpx")),
      ]),
    Scenario(
      testDescription: "a recording begins when the one before has ended",
      steps: [
        .begin(nil), .location(1), .stop(.stopped), .begin(nil), .write(1), .synchronize(),
        .close(),
        .begin(nil), .finish(), .begin(.open("a.gpx")), .begin(nil),
      ]),
    Scenario(
      testDescription:
        "F52 a recording that lost locations does not keep the next one from writing",
      steps: [
        .location(1), .location(2), .stop(.stopped), .write(2, fails: true), .close(), .lost(2),
        .finish(fails: true), .begin(.open("a.gpx")), .location(3), .write(1), .lost(2),
        .recorded(1),
        .stop(.stopped), .synchronize(), .close(), .finish(),
      ]),
    Scenario(
      testDescription: "each recording begins a file of a rotation, after a gap",
      configuration: .init(rotation: .duration(.seconds(4))),
      steps: [
        .location(1), .write(1, file: "a-20260509T061321Z.gpx"), .stop(.stopped), .close(),
        .finish(), .begin(.rotation), .location(2),
        .write(1, file: "a-20260509T061322Z.gpx"), .recorded(2),
      ]),
  ]

  @Test("F58 the file of a reduced accuracy does not begin with the last exact point")
  func filesOfAnotherAccuracy() throws {
    var machine = Machine(
      .gpx, TrackRecorder.Configuration(rotation: .duration(.seconds(4))), fileName: "a.gpx")
    machine.receive(try location(48.125, 11.5, at: 1), at: .seconds(1))
    guard case .write(let first) = machine.next(at: .seconds(1)) else {
      Issue.record("no write")
      return
    }
    #expect(String(decoding: first.text, as: UTF8.self).contains("48.125"))
    machine.didWrite(into: "first.gpx", at: .seconds(1))
    var reduced = try location(48, 11, at: 9)
    reduced.isReduced = true
    machine.receive(reduced, at: .seconds(9))
    guard case .write(let second) = machine.next(at: .seconds(9)) else {
      Issue.record("no write")
      return
    }
    #expect(second.newFile != nil)
    #expect(!String(decoding: second.text, as: UTF8.self).contains("48.125"))
  }

  @Test("F52 F58 the recorder's decisions", arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) throws {
    var machine = Machine(.gpx, scenario.configuration, fileName: "a.gpx")
    var now = Duration.zero
    if machine.begin() != .rotation { machine.didOpen(RecordedContent(), at: now) }
    for (index, step) in scenario.steps.enumerated() {
      let comment: Comment = "step \(index): \(step)"
      switch step {
      case .location(let second, let metres, let isReduced):
        now = max(now, .seconds(second))
        var next = try location(metres / 110_574, 0, at: second)
        next.isReduced = isReduced
        machine.receive(next, at: now)
      case .interrupt: machine.interrupt()
      case .begin(let beginning):
        #expect(machine.begin() == beginning, comment)
        if case .open = beginning {
          machine.didOpen(RecordedContent(bodyLength: 100, lastSegment: 1), at: now)
        }
      case .stop(let end): machine.stop(end)
      case .time(let second): now = .seconds(second)
      case .wait(let second):
        #expect(!machine.isDue(at: now), comment)
        #expect(machine.next(at: now) == .wait(until: second.map { .seconds($0) }), comment)
      case .write(let count, let file, let fails):
        #expect(machine.isDue(at: now), comment)
        guard case .write(let write) = machine.next(at: now) else {
          Issue.record("no write: \(step)")
          return
        }
        #expect(write.pointCount == count, comment)
        #expect(write.newFile?.text(1) == file, comment)
        #expect(!machine.isDue(at: now), "while the write lasts, nothing else is due")
        if fails {
          machine.didFail(LocationError(.storageUnavailable, "full"), at: now)
          #expect(machine.statistics(at: now).problem != nil, comment)
        } else {
          machine.didWrite(into: file, at: now)
          #expect(machine.statistics(at: now).problem == nil, comment)
        }
      case .synchronize(let fails):
        #expect(machine.isDue(at: now), comment)
        #expect(machine.next(at: now) == .synchronize, comment)
        #expect(!machine.isDue(at: now), "while it lasts, nothing else is due")
        if fails {
          machine.didFail(LocationError(.storageUnavailable, "broken"), at: now)
          #expect(machine.statistics(at: now).problem != nil, comment)
        } else {
          machine.didSynchronize(at: now)
          #expect(machine.statistics(at: now).sinceLastSync == .zero, comment)
        }
      case .close(let hasNote):
        guard case .close(let ending) = machine.next(at: now) else {
          Issue.record("not closed: \(step)")
          return
        }
        #expect((ending != nil) == hasNote, comment)
      case .finish(let fails):
        guard case .finish(let problem) = machine.next(at: now) else {
          Issue.record("not finished")
          return
        }
        #expect((problem != nil) == fails, comment)
      case .lost(let count): #expect(machine.statistics(at: now).lost == count, comment)
      case .recorded(let count):
        #expect(machine.statistics(at: now).recorded == count, comment)
      case .skipped(let count): #expect(machine.statistics(at: now).skipped == count, comment)
      }
    }
  }

  /// A synchronization begins before the end and fails after it.
  @Test("F52 at the end, waiting locations are written after a disk failure") func failsAtTheEnd()
    throws
  {
    let problem = LocationError(.storageUnavailable, "broken")
    var machine = Machine(.csv, .init(syncInterval: .zero), fileName: "a")
    #expect(machine.begin() == .open("a"))
    machine.didOpen(RecordedContent(), at: .zero)
    machine.receive(try location(0, 0, at: 0), at: .zero)
    _ = machine.next(at: .zero)
    machine.didWrite(at: .zero)
    #expect(machine.next(at: .zero) == .synchronize)
    machine.receive(try location(0, 0, at: 1), at: .zero)
    machine.stop(.stopped)
    machine.didFail(problem, at: .zero)
    guard case .write(let write) = machine.next(at: .zero) else {
      Issue.record("no write")
      return
    }
    #expect(write.pointCount == 2)
    #expect(write.offset == 0)
    machine.didWrite(at: .zero)
    #expect(machine.next(at: .zero) == .synchronize)
    machine.didFail(problem, at: .zero)
    #expect(machine.statistics(at: .zero).lost == 0)
    #expect(machine.next(at: .zero) == .close(ending: nil))
    #expect(machine.next(at: .zero) == .finish(problem))
  }

  /// The next point records the number of dropped locations, in formats that can represent it.
  @Test("F52 a loss is a gap with its number") func lossIsRecorded() throws {
    let texts: [(RecordingWriter.Format, String)] = [
      (.gpx, "<al:lost>3</al:lost>"), (.geoJSON, "\"lost\":3}"), (.geoJSONLines, "\"lost\":3}"),
      (.csv, ",2,3\n"), (.gpsd, "{\"class\":\"TPV\",\"mode\":1}\n"),
    ]
    for (format, text) in texts {
      var machine = Machine(format, .init(maximumWaiting: 4), fileName: "a")
      machine.didOpen(RecordedContent(), at: .zero)
      machine.receive(try location(0, 0, at: 0), at: .zero)
      _ = machine.next(at: .zero)
      machine.didWrite(at: .zero)
      #expect(machine.next(at: .zero) == .synchronize)
      machine.didSynchronize(at: .zero)
      for second in 1...7 { machine.receive(try location(0, 0, at: Double(second)), at: .zero) }
      guard case .write(let write) = machine.next(at: .zero) else {
        Issue.record("no write")
        return
      }
      #expect(write.pointCount == 4)
      #expect(String(decoding: write.text, as: UTF8.self).contains(text), "\(format)")
    }
  }

  @Test func aRotatedFileBeginsWithTheLastPoint() throws {
    var machine = Machine(
      .csv, .init(rotation: .duration(.seconds(1))), fileName: "a")
    var texts: [String] = []
    for second in [0.0, 1, 2, 100] {
      machine.receive(try location(0, second, at: second), at: .zero)
      if second == 2 {
        #expect(machine.next(at: .zero) == .synchronize)
        machine.didSynchronize(at: .zero)
      }
      guard case .write(let write) = machine.next(at: .zero) else {
        Issue.record("no write")
        return
      }
      texts.append(String(decoding: write.text, as: UTF8.self))
      machine.didWrite(into: write.newFile?.text(1), at: .zero)
    }
    let points = texts.map { text in
      text.split(separator: "\n").map { $0.split(separator: ",")[2] }
    }
    // The last point follows a gap.
    #expect(
      points == [["longitude", "0"], ["1"], ["longitude", "1", "2"], ["longitude", "100"]])
    #expect(machine.statistics(at: .zero).fileCount == 3)
  }
}
