import Foundation
import TestSupport
import Testing

@testable import LocationRecording

/// Compares with Python's `zoneinfo`, an independent reader, over all zones of the system.
@Suite(.inTurn) struct LocalTimeComparisonTests {
  /// Prints a line for each zone: its name, then times with the offset and the abbreviation. It
  /// reads the transitions from the file, and finds those of the rule by bisection.
  private static let script = """
    import os, random, struct, sys
    from datetime import datetime, timedelta, timezone
    from zoneinfo import ZoneInfo
    root = sys.argv[1]
    random.seed(8536)
    epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
    first, last = -62135400000, 253402000000
    def local(zone, time):
      date = (epoch + timedelta(seconds=time)).astimezone(zone)
      return "%d %s" % (date.utcoffset().total_seconds(), date.tzname())
    def counts(data, start): return struct.unpack(">6L", data[start + 20:start + 44])
    def transitions(data):
      universal, standard, leap, times, types, characters = counts(data, 0)
      start = 44 + times * 5 + types * 6 + characters + leap * 8 + standard + universal
      times = counts(data, start)[3]
      found = struct.unpack(">%dq" % times, data[start + 44:start + 44 + 8 * times])
      return [time for time in found if first < time < last]
    def rule_transitions(zone, year):
      start = int((datetime(year, 1, 1, tzinfo=timezone.utc) - epoch).total_seconds())
      days = [start + 86400 * 4 * step for step in range(93)]
      for low, high in zip(days, days[1:]):
        before = local(zone, low)
        if before == local(zone, high): continue
        while high - low > 1:
          middle = (low + high) // 2
          if local(zone, middle) == before: low = middle
          else: high = middle
        yield high
    seen = set()
    for folder, folders, files in os.walk(root):
      for file in files:
        path = os.path.join(folder, file)
        name = os.path.relpath(path, root)
        if name.split("/")[0] in ("right", "posix"): continue
        with open(path, "rb") as opened: data = opened.read()
        if data[:4] != b"TZif": continue
        with open(path, "rb") as opened: zone = ZoneInfo.from_file(opened)
        times = [random.randint(first, last) for _ in range(3)]
        if data not in seen:
          seen.add(data)
          times += [random.randint(-3000000000, 9000000000) for _ in range(20)]
          found = transitions(data)
          if b"," in data.split(b"\\n")[-2]:
            for year in (2038, 2040, 2100, 2400): found += rule_transitions(zone, year)
          for time in found: times += [time - 1, time]
        print(name, *("%d %s" % (time, local(zone, time)) for time in times), sep="\\t")
    """

  @Test(
    .longWork, .needsTimeZone(), .enabled(if: Command.isInstalled("python3"), "install python3"))
  func localTimesMatchPython() async throws {
    let root = try #require(
      TimeZoneDatabase().folders.first {
        FileManager.default.fileExists(atPath: "\($0)/Europe/Berlin")
      })
    let folder = try TemporaryFolder()
    let program = try folder.write(Array(Self.script.utf8), to: "judge.py")
    let output = try await Command.output(of: ["python3", "-B", program, root])
    let lines = output.split(separator: "\n")
    #expect(lines.count > 300)
    var instantCount = 0
    for line in lines {
      let fields = line.split(separator: "\t")
      let zone = try LocalTimeZone(identifier: String(fields[0]))
      var differences: [String] = []
      for field in fields.dropFirst() {
        let parts = field.split(separator: " ")
        let date = Date(timeIntervalSince1970: try #require(Double(parts[0])))
        let ours = "\(zone.offset(at: date).components.seconds) \(zone.abbreviation(at: date))"
        if ours != "\(parts[1]) \(parts[2])" { differences.append("\(field), ours \(ours)") }
        instantCount += 1
      }
      #expect(differences.isEmpty, "\(zone): \(differences.prefix(3))")
    }
    #expect(instantCount > 10_000)
  }
}
