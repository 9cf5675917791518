import SampleDrive
for epoch in Drive().epochs { print(epoch.nmea, terminator: "") }
