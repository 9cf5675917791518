import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct DeviceNamesTests {
  @Test func equalNamesHaveOneIdentifier() {
    let table = DeviceNames(maximumNames: 10, maximumBytes: 100)
    #expect(table.find("/dev/ttyUSB0") == nil)
    let first = table.identifier(of: "/dev/ttyUSB0")
    let empty = table.identifier(of: "")
    #expect(Set([first, empty, .none]).count == 3)
    #expect(table.identifier(of: "/dev/ttyUSB0") == first)
    #expect(table.find("/dev/ttyUSB0") == first)
    #expect(table.name(of: first) == "/dev/ttyUSB0")
    #expect(table.name(of: empty) == "")
    #expect(table.name(of: .none) == nil)
  }

  /// Canonically equivalent names can denote two different files. Each name is returned unchanged.
  @Test(arguments: ["e\u{301}", "\u{E9}"])
  func differentEncodingsAreDifferentNames(_ spelling: String) {
    let table = DeviceNames(maximumNames: 10, maximumBytes: 100)
    let identifiers = ["e\u{301}", "\u{E9}"].map(table.identifier(of:))
    #expect(identifiers[0] != identifiers[1])
    let name = table.name(of: table.identifier(of: spelling))
    #expect(name.map { Array($0.utf8) } == Array(spelling.utf8))
  }

  @Test func namesBeyondTheBoundHaveNoIdentifier() {
    let table = DeviceNames(maximumNames: 3, maximumBytes: 100)
    let known = ["a", "b", "c"].map(table.identifier(of:))
    #expect(!known.contains(.none))
    #expect(table.identifier(of: "d") == .none)
    #expect(table.find("d") == nil)
    // Existing names are retained.
    #expect(["a", "b", "c"].map(table.identifier(of:)) == known)
    #expect(known.map(table.name(of:)) == ["a", "b", "c"])
  }

  @Test func bytesBeyondTheBoundHaveNoIdentifier() {
    let table = DeviceNames(maximumNames: 100, maximumBytes: 10)
    #expect(table.identifier(of: "éééé") != .none)  // Eight bytes.
    #expect(table.identifier(of: "abc") == .none)
    #expect(table.identifier(of: "ab") != .none)
    #expect(table.identifier(of: "c") == .none)
    #expect(table.identifier(of: "") != .none)
    #expect(DeviceNames(maximumNames: 0, maximumBytes: 10).identifier(of: "") == .none)
  }

  @Test func aReceiverWithoutIdentifierMatchesNoName() {
    let unnamed: SourceInformation? = SourceInformation()
    #expect(unnamed.deviceID == .none)
    #expect(!unnamed.isOf(.none))
    #expect((nil as SourceInformation?).deviceID == .none)
    let named: SourceInformation? = SourceInformation(device: "nobody's")
    #expect(named.isOf(DeviceID("nobody's")))
    #expect(!named.isOf(.none))
    #expect(!unnamed.isOf(DeviceID("nobody's")))
  }

  @Test func concurrentThreadsGetTheSameIdentifiers() async {
    let (nameCount, taskCount) = (3_000, 8)
    // The bound is so small that some names do not fit.
    let table = DeviceNames(maximumNames: 2_500, maximumBytes: 1 << 20)
    let found = await withTaskGroup(of: [String: DeviceID].self) { group in
      for seed in 1...taskCount {
        group.addTask {
          var random = SplitMix64(seed: UInt64(seed))
          var found: [String: DeviceID] = [:]
          for number in (0..<nameCount).shuffled(using: &random) {
            let name = "/dev/tty\(number)"
            let identifier = table.identifier(of: name)
            if identifier != .none, table.name(of: identifier) != name {
              Issue.record("\(name) is \(table.name(of: identifier) ?? "nothing")")
            }
            found[name] = identifier
          }
          return found
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let identifiers = found.reduce(into: [String: Set<DeviceID>]()) { result, identifiersOfTask in
      for (name, identifier) in identifiersOfTask where identifier != .none {
        result[name, default: []].insert(identifier)
      }
    }
    #expect(identifiers.values.allSatisfy { $0.count == 1 })
    #expect(Set(identifiers.values.flatMap { $0 }).count == 2_500)
    #expect(identifiers.count == 2_500)
  }
}
