import GPSDReports

/// The code of the article and of the doc comments, which must compile.
@MainActor
enum ReportSnippets {
  static func read() throws {
    let line = #"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"lat":52.1,"lon":4.3}"#
    if case .tpv(let fix) = try GPSDReport(line: line.utf8) {
      print(fix.latitude ?? 0, fix.longitude ?? 0)
    }
  }

  static func make() throws -> TPV {
    let report = try TPV {
      $0.mode = 3
      $0.latitude = 52.1
    }
    return report
  }
}
