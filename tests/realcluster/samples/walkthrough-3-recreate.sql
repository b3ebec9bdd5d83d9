-- A table of the same name begins a second life.
create table temp_sample_07 as select * from sample_07;
