package import AsyncLocation

extension Receiver {
  /// Creates a receiver from gpsd's report; nil if the report has no path.
  package init?(_ report: DeviceReport) {
    guard let path = report.path, !path.isEmpty else { return nil }
    let models = [report.subtype, report.secondSubtype].compactMap { $0 }.filter { !$0.isEmpty }
    self.init(
      name: path,
      driver: report.driver,
      model: models.isEmpty ? nil : models.joined(separator: ", "),
      activated: report.activated,
      baudRate: report.baudRate.flatMap { $0 > 0 ? $0 : nil },
      cycle: report.cycle.flatMap { $0 > 0 ? .seconds($0) : nil })
  }
}
